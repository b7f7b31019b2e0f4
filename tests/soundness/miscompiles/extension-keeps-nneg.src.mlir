func.func @widen(%b: i1) -> i32 {
  %w = arith.extui %b : i1 to i8
  %r = arith.extui %w nneg : i8 to i32
  return %r : i32
}
