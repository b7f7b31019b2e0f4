func.func @fill(%m: memref<?xi32>, %lb: index, %ub: index, %x: i32) {
  %c2 = arith.constant 2 : index
  scf.for %i = %lb to %ub step %c2 {
    memref.store %x, %m[%i] : memref<?xi32>
  }
  return
}
