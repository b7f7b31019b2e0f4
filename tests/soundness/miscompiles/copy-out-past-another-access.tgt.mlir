// llvm-project issue 217538: a fast buffer is copied back that nothing was written to: the loop keeps the accesses to the
// memref itself, as one of them is not affine.
// expect: poison
func.func @twice(%m: memref<8xi64>, %x: i64) {
  %c3 = arith.constant 3 : index
  %t = memref.alloc() : memref<1xi64>
  affine.for %i = 0 to 8 {
    affine.store %x, %m[3] : memref<8xi64>
    memref.store %x, %m[%c3] : memref<8xi64>
  }
  %v = affine.load %t[0] : memref<1xi64>
  affine.store %v, %m[3] : memref<8xi64>
  memref.dealloc %t : memref<1xi64>
  return
}
