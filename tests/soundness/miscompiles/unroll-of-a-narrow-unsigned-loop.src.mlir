func.func @narrow(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i8
  %c201 = arith.constant 201 : i8
  %c1 = arith.constant 1 : i8
  %r = scf.for unsigned %i = %c0 to %c201 step %c1 iter_args(%a = %x) -> (i32) : i8 {
    %v = arith.extui %i : i8 to i32
    %n = arith.addi %a, %v : i32
    scf.yield %n : i32
  }
  return %r : i32
}
