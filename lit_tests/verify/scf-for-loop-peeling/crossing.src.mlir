// The bound may be below zero.
func.func @fill(%A: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %size = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
    scf.for %j = %c0 to %size step %c1 {
      %k = arith.addi %i, %j : index
      memref.store %x, %A[%k] : memref<?xf32>
    }
  }
  return
}
