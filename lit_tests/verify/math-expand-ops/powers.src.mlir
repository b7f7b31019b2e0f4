// Powers by literals: a square and a cube of floats of two formats.
func.func @square(%x: f32) -> f32 {
  %n = arith.constant 2 : i32
  %0 = math.fpowi %x, %n : f32, i32
  return %0 : f32
}

func.func @cube(%x: vector<4xf16>) -> vector<4xf16> {
  %n = arith.constant dense<3> : vector<4xi32>
  %0 = math.fpowi %x, %n : vector<4xf16>, vector<4xi32>
  return %0 : vector<4xf16>
}
