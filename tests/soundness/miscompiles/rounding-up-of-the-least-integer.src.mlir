func.func @ceil(%x: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %r = arith.ceildivsi %x, %c7 : i32
  return %r : i32
}
