func.func @next(%i: index, %n: index) -> i1 {
  %c1 = arith.constant 1 : index
  %a = arith.addi %i, %c1 : index
  %c = arith.cmpi sle, %a, %n : index
  return %c : i1
}
