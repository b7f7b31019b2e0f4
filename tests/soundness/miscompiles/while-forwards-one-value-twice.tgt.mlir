// llvm-project issue 219456: the branch that a loop continues with moves into its body for one of two uses only.
// expect: value
func.func @twice(%k: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c20 = arith.constant 20 : i32
  %r:3 = scf.while (%s = %c0) : (i32) -> (i32, i32, i32) {
    %c = arith.cmpi slt, %s, %k : i32
    scf.condition(%c) %c20, %c20, %s : i32, i32, i32
  } do {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %n = arith.addi %o, %c2 : i32
    scf.yield %b : i32
  }
  return %r#2 : i32
}
