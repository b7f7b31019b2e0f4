func.func @fill(%A: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c2) {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  return
}
