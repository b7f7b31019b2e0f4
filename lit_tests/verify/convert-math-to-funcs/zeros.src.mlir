// Leading zeros of an integer of 32 bits.
func.func @zeros(%x: i32) -> i32 {
  %0 = math.ctlz %x : i32
  return %0 : i32
}
