// A polynomial in powers of x; Horner's scheme is equal over the reals.
func.func @poly(%x: f32, %a: f32, %b: f32, %c: f32) -> f32 {
  %x2 = arith.mulf %x, %x : f32
  %p = arith.mulf %a, %x2 : f32
  %q = arith.mulf %b, %x : f32
  %s = arith.addf %p, %q : f32
  %r = arith.addf %s, %c : f32
  return %r : f32
}
