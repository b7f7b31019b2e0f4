// A buffer of one element becomes a value.
func.func @slot(%A: memref<16xi32>) {
  %slot = memref.alloca() : memref<i32>
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xi32>
    memref.store %a, %slot[] : memref<i32>
    %b = memref.load %slot[] : memref<i32>
    %s = arith.addi %a, %b : i32
    affine.store %s, %A[%i] : memref<16xi32>
  }
  return
}
