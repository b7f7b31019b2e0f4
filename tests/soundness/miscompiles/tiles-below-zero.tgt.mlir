// mlir-opt 22 (scf-parallel-loop-tiling{parallel-loop-tile-sizes=4 no-min-max-bounds}): a counter below zero is held
// against the bound without its sign.
// expect: value
func.func @fill(%arg0: memref<?xf32>, %arg1: index, %arg2: f32) {
  %c-4 = arith.constant -4 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %c4_0 = arith.constant 4 : index
  %0 = arith.muli %c1, %c4_0 : index
  scf.parallel (%arg3) = (%c-4) to (%arg1) step (%0) {
    scf.parallel (%arg4) = (%c0) to (%0) step (%c1) {
      %1 = arith.addi %arg4, %arg3 : index
      %true = arith.constant true
      %2 = arith.muli %arg4, %c1 : index
      %3 = arith.addi %2, %arg3 : index
      %4 = arith.cmpi ult, %3, %arg1 : index
      %5 = arith.andi %true, %4 : i1
      scf.if %5 {
        %6 = arith.addi %1, %c4 : index
        memref.store %arg2, %arg0[%6] : memref<?xf32>
      }
      scf.reduce 
    }
    scf.reduce 
  }
  return
}
