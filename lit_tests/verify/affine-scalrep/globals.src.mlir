// A running sum in a global, with weights from a constant one.
memref.global "private" constant @weights : memref<4xf32> = dense<[1.0, 0.5, 0.25, 0.125]>
memref.global "private" @sum : memref<1xf32> = dense<0.0>
func.func @weigh(%A: memref<4xf32>, %B: memref<4xf32>) {
  %w = memref.get_global @weights : memref<4xf32>
  %s = memref.get_global @sum : memref<1xf32>
  affine.for %i = 0 to 4 {
    %a = affine.load %A[%i] : memref<4xf32>
    %b = affine.load %w[%i] : memref<4xf32>
    %p = arith.mulf %a, %b : f32
    affine.store %p, %s[0] : memref<1xf32>
    %q = affine.load %s[0] : memref<1xf32>
    affine.store %q, %B[%i] : memref<4xf32>
  }
  return
}
