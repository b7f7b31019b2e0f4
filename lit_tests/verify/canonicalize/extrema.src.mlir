// A literal operand goes to the right.
func.func @relu(%x: f32, %y: f32, %z: f32) -> (f32, f32) {
  %c = arith.constant 0.0 : f32
  %a = arith.maxnumf %c, %x : f32
  %b = arith.maxnumf %y, %z : f32
  return %a, %b : f32, f32
}
