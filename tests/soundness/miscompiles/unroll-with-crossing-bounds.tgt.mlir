// HEC's example of affine-loop-unroll: with a lower bound above 10 the clean-up loop runs.
// expect: value
#main = affine_map<()[s0] -> (s0 + ((-s0 + 10) floordiv 3) * 3)>
func.func @tail(%lb: index) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %r = affine.for %i = %lb to #main()[%lb] step 3 iter_args(%a = %c0) -> i32 {
    %n = arith.addi %a, %c3 : i32
    affine.yield %n : i32
  }
  %s = affine.for %i = #main()[%lb] to 10 iter_args(%a = %r) -> i32 {
    %n = arith.addi %a, %c1 : i32
    affine.yield %n : i32
  }
  return %s : i32
}
