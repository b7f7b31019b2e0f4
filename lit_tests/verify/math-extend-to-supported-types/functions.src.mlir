// Functions on floats of 16 bits that no standard defines, next to one that is exact.
func.func @gate(%x: f16, %y: bf16) -> (f16, f16, bf16) {
  %0 = math.exp %x : f16
  %1 = math.floor %x : f16
  %2 = math.tanh %y : bf16
  return %0, %1, %2 : f16, f16, bf16
}

func.func @powers(%A: memref<?xbf16>, %B: memref<?xbf16>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xbf16>
    %p = math.powf %a, %a : bf16
    affine.store %p, %B[%i] : memref<?xbf16>
  }
  return
}
