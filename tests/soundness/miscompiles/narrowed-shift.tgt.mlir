// llvm-project issue 218191: a shift is narrowed whose amount is too large for the narrow type.
// expect: poison
func.func @shift(%x: i64) -> i64 {
  %c63 = arith.constant 63 : i64
  %c4 = arith.constant 4 : i32
  %k = arith.andi %x, %c63 : i64
  %t = arith.trunci %k : i64 to i32
  %s = arith.shrsi %c4, %t : i32
  %r = arith.extsi %s : i32 to i64
  return %r : i64
}
