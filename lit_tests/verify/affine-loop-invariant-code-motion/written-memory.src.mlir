// The load of A[0] must stay: the loop writes A[0] in its first iteration. The product leaves the loop.
func.func @first(%A: memref<?xf32>, %x: f32, %y: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    %s = arith.mulf %x, %y : f32
    %f = affine.load %A[0] : memref<?xf32>
    %b = arith.addf %f, %s : f32
    affine.store %b, %A[%i] : memref<?xf32>
  }
  return
}
