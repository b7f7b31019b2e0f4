// mlir-opt 22 (scf-parallel-loop-tiling{parallel-loop-tile-sizes=4 no-min-max-bounds}): an inner counter that goes in
// steps is multiplied by the step once more where it is held against the bound.
// expect: value
func.func @fill(%arg0: memref<?xf32>, %arg1: index, %arg2: f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c0_0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = arith.muli %c2, %c4 : index
  scf.parallel (%arg3) = (%c0) to (%arg1) step (%0) {
    scf.parallel (%arg4) = (%c0_0) to (%0) step (%c2) {
      %1 = arith.addi %arg4, %arg3 : index
      %true = arith.constant true
      %2 = arith.muli %arg4, %c2 : index
      %3 = arith.addi %2, %arg3 : index
      %4 = arith.cmpi ult, %3, %arg1 : index
      %5 = arith.andi %true, %4 : i1
      scf.if %5 {
        memref.store %arg2, %arg0[%1] : memref<?xf32>
      }
      scf.reduce 
    }
    scf.reduce 
  }
  return
}
