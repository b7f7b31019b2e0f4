// The bound %lo may lie above 10; then the loop does not run.
func.func @from(%A: memref<?xf32>, %lo: index, %x: f32) {
  affine.for %i = %lo to 10 {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = arith.addf %a, %x : f32
    affine.store %b, %A[%i] : memref<?xf32>
  }
  return
}
