// Two dimensions as one: the product of two negative extents is positive.
func.func @add(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
    %v = memref.load %A[%i, %j] : memref<?x?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %B[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  return
}
