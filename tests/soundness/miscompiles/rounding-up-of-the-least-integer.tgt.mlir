// ceildivsi is expanded with the negation of its operand, which overflows for the least integer.
// expect: value
func.func @ceil(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %pos = arith.cmpi sgt, %x, %c0 : i32
  %d = arith.subi %x, %c1 : i32
  %q = arith.divsi %d, %c7 : i32
  %up = arith.addi %q, %c1 : i32
  %n = arith.subi %c0, %x : i32
  %p = arith.divsi %n, %c7 : i32
  %down = arith.subi %c0, %p : i32
  %r = arith.select %pos, %up, %down : i32
  return %r : i32
}
