// Arithmetic on floats of 8 bits, in formats without infinities, and one without -0.
func.func @polynomial(%x: f8E4M3FN) -> f8E4M3FN {
  %c = arith.constant 1.5 : f8E4M3FN
  %0 = arith.mulf %x, %x : f8E4M3FN
  %1 = arith.addf %0, %c : f8E4M3FN
  return %1 : f8E4M3FN
}

func.func @quotient(%x: f8E5M2FNUZ) -> f8E5M2FNUZ {
  %c = arith.constant 3.0 : f8E5M2FNUZ
  %0 = arith.divf %x, %c : f8E5M2FNUZ
  %1 = arith.subf %0, %x : f8E5M2FNUZ
  return %1 : f8E5M2FNUZ
}
