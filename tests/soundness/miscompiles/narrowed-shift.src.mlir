func.func @shift(%x: i64) -> i64 {
  %c63 = arith.constant 63 : i64
  %c4 = arith.constant 4 : i64
  %k = arith.andi %x, %c63 : i64
  %r = arith.shrsi %c4, %k : i64
  return %r : i64
}
