// Full and partial tiles are apart, selected by an affine.if.
func.func @fill(%A: memref<?xi32>, %x: i32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi32>
    %b = arith.addi %a, %x : i32
    affine.store %b, %A[%i] : memref<?xi32>
  }
  return
}
