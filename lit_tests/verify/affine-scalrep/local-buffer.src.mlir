// The local buffer goes away with all its accesses.
func.func @local(%A: memref<?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %T = memref.alloc() : memref<1xf32>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %s = arith.mulf %a, %a : f32
    affine.store %s, %T[0] : memref<1xf32>
    %t = affine.load %T[0] : memref<1xf32>
    %b = arith.addf %t, %a : f32
    affine.store %b, %B[%i] : memref<?xf32>
  }
  memref.dealloc %T : memref<1xf32>
  return
}
