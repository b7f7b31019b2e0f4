func.func @round_trip(%x: i64) -> index {
  %a = arith.index_castui %x : i64 to index
  %b = arith.index_castui %a : index to i8
  %c = arith.index_castui %b : i8 to index
  return %c : index
}
