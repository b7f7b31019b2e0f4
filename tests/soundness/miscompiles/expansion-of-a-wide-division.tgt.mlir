// MLIR 22: arith-expand makes the constant -1 of 64 bits, and extends it with zeros.
// expect: value
func.func @f(%a: i128, %b: i128) -> i128 {
  %q = arith.divsi %a, %b : i128
  %m = arith.muli %q, %b : i128
  %rest = arith.cmpi ne, %a, %m : i128
  %zero = arith.constant 0 : i128
  %below = arith.cmpi slt, %a, %zero : i128
  %negative = arith.cmpi slt, %b, %zero : i128
  %signs = arith.cmpi ne, %below, %negative : i1
  %down = arith.andi %rest, %signs : i1
  %ones = arith.constant 18446744073709551615 : i128
  %less = arith.addi %q, %ones : i128
  %r = arith.select %down, %less, %q : i128
  return %r : i128
}
