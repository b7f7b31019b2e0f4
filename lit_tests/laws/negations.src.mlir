// Products and quotients of negations, as canonicalize leaves them.
func.func @negations(%a: f32, %b: f32) -> f32 {
  %x = arith.negf %a : f32
  %y = arith.negf %b : f32
  %q = arith.divf %x, %y : f32
  %m = arith.mulf %x, %y : f32
  %r = arith.addf %q, %m : f32
  return %r : f32
}
