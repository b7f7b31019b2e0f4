// Two extensions become one that keeps the flag of the outer one, which spoke of another value.
// expect: poison
func.func @widen(%b: i1) -> i32 {
  %r = arith.extui %b nneg : i1 to i32
  return %r : i32
}
