// llvm-project PR 196554: unroll-and-jam without a look at dependences, here of distance (1, -1).
// expect: value
func.func @carry(%m: memref<6x6xi32>) {
  affine.for %i = 1 to 5 step 2 {
    affine.for %j = 0 to 5 {
      %v = affine.load %m[%i - 1, %j + 1] : memref<6x6xi32>
      affine.store %v, %m[%i, %j] : memref<6x6xi32>
      %w = affine.load %m[%i, %j + 1] : memref<6x6xi32>
      affine.store %w, %m[%i + 1, %j] : memref<6x6xi32>
    }
  }
  return
}
