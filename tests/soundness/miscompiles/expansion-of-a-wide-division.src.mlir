func.func @f(%a: i128, %b: i128) -> i128 {
  %q = arith.floordivsi %a, %b : i128
  return %q : i128
}
