// mlir-opt add.src.mlir --test-scf-parallel-loop-collapsing=collapsed-indices-0=0,1
// Verdict: not equivalent
// Changed: nothing, this is a bug of mlir-opt 22: both trip counts negative make a positive one
// RUN: %exits 1 hecv check %S/add.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/add.src.mlir %S/add.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @add
// SELF: {{^}}equivalent: @add

module {
  func.func @add(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index, %arg3: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_0 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    %c1_2 = arith.constant 1 : index
    %0 = arith.muli %c1_2, %arg2 : index
    %1 = arith.muli %0, %arg3 : index
    scf.parallel (%arg4) = (%c0_0) to (%1) step (%c1_1) {
      %2 = arith.remsi %arg4, %arg3 : index
      %3 = arith.divsi %arg4, %arg3 : index
      %4 = memref.load %arg0[%3, %2] : memref<?x?xf32>
      %5 = arith.addf %4, %4 : f32
      memref.store %5, %arg1[%3, %2] : memref<?x?xf32>
      scf.reduce 
    }
    return
  }
}
