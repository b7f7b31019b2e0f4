// An increment is taken out of a comparison of index values, as if it did not wrap.
// expect: value
func.func @next(%i: index, %n: index) -> i1 {
  %c = arith.cmpi slt, %i, %n : index
  return %c : i1
}
