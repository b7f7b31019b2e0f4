func.func @fill(%A: memref<?xf32>, %n: index, %x: f32) {
  %c-4 = arith.constant -4 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c-4) to (%n) step (%c1) {
    %j = arith.addi %i, %c4 : index
    memref.store %x, %A[%j] : memref<?xf32>
  }
  return
}
