// llvm-project issue 90238: a cast to i8 and back is taken for no change.
// expect: value
func.func @round_trip(%x: i64) -> index {
  %a = arith.index_castui %x : i64 to index
  return %a : index
}
