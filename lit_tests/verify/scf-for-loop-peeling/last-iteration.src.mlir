// The partial last iteration gets a loop of its own; inside, the min goes.
func.func @peel(%A: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c4 {
    %m = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
    scf.for %j = %c0 to %m step %c1 {
      %k = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)
      %a = memref.load %A[%k] : memref<?xi32>
      %b = arith.addi %a, %one : i32
      memref.store %b, %A[%k] : memref<?xi32>
    }
  }
  return
}
