// The buffer between the loops shrinks to one element.
func.func @square(%A: memref<16xf32>, %B: memref<16xf32>, %x: f32) {
  %T = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xf32>
    %s = arith.mulf %a, %a : f32
    affine.store %s, %T[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 16 {
    %t = affine.load %T[%i] : memref<16xf32>
    %b = arith.addf %t, %x : f32
    affine.store %b, %B[%i] : memref<16xf32>
  }
  return
}
