// Three words become a sum and a word of carries, then one sum.
func.func @carry_save_adder(%a: i64, %b: i64, %c: i64, %d: i64) -> i64 {
  %s = arith.addi %a, %b : i64
  %t = arith.addi %s, %c : i64
  %r = arith.divui %t, %d : i64
  return %r : i64
}
