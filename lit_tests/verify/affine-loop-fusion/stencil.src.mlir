// Each element of the buffer has two readers, one iteration apart.
func.func @blur(%A: memref<13xf32>, %B: memref<12xf32>) {
  %T = memref.alloc() : memref<13xf32>
  affine.for %i = 0 to 13 {
    %a = affine.load %A[%i] : memref<13xf32>
    %s = arith.mulf %a, %a : f32
    affine.store %s, %T[%i] : memref<13xf32>
  }
  affine.for %i = 0 to 12 {
    %t = affine.load %T[%i] : memref<13xf32>
    %u = affine.load %T[%i + 1] : memref<13xf32>
    %b = arith.addf %t, %u : f32
    affine.store %b, %B[%i] : memref<12xf32>
  }
  return
}
