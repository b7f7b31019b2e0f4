// A store moves out of a loop that may not run.
// expect: value
func.func @maybe(%m: memref<4xi32>, %n: index, %x: i32) {
  affine.store %x, %m[2] : memref<4xi32>
  affine.for %i = 0 to %n {
  }
  return
}
