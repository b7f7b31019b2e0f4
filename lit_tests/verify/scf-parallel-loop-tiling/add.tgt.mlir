// mlir-opt add.src.mlir --scf-parallel-loop-tiling=parallel-loop-tile-sizes=4,2
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/add.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/add.src.mlir %S/add.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @add
// SELF: {{^}}equivalent: @add

#map = affine_map<(d0, d1, d2) -> (d0, d1 - d2)>
module {
  func.func @add(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index, %arg3: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %0 = arith.muli %c1, %c4 : index
    %1 = arith.muli %c1, %c2 : index
    scf.parallel (%arg4, %arg5) = (%c0, %c0) to (%arg2, %arg3) step (%0, %1) {
      %2 = affine.min #map(%0, %arg2, %arg4)
      %3 = affine.min #map(%1, %arg3, %arg5)
      scf.parallel (%arg6, %arg7) = (%c0_0, %c0_0) to (%2, %3) step (%c1, %c1) {
        %4 = arith.addi %arg6, %arg4 : index
        %5 = arith.addi %arg7, %arg5 : index
        %6 = memref.load %arg0[%4, %5] : memref<?x?xf32>
        %7 = arith.addf %6, %6 : f32
        memref.store %7, %arg1[%4, %5] : memref<?x?xf32>
        scf.reduce 
      }
      scf.reduce 
    }
    return
  }
}
