// The high half of a product, by a product in twice the width.
func.func @high_half(%a: i32, %b: i32, %d: i32) -> i32 {
  %lo, %hi = arith.mulsi_extended %a, %b : i32
  %r = arith.divui %hi, %d : i32
  return %r : i32
}
