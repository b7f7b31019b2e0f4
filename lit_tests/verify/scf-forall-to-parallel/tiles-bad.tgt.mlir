// mlir-opt tiles.src.mlir --scf-forall-to-parallel, then changed by hand
// Verdict: not equivalent
// Changed: line 25, the square; it was
//   %2 = arith.mulf %1, %arg1 : f32
// RUN: %exits 1 hecv check %S/tiles.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @scale
// SELF: {{^}}equivalent: @scale

module {
  func.func @scale(%arg0: memref<8x12xf32>, %arg1: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c0_0 = arith.constant 0 : index
    %c0_1 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c1_2 = arith.constant 1 : index
    %c3_3 = arith.constant 3 : index
    scf.parallel (%arg2, %arg3) = (%c0_0, %c0_1) to (%c8, %c12) step (%c1_2, %c3_3) {
      scf.for %arg4 = %c0 to %c3 step %c1 {
        %0 = arith.addi %arg3, %arg4 : index
        %1 = memref.load %arg0[%arg2, %0] : memref<8x12xf32>
        %2 = arith.mulf %1, %1 : f32
        memref.store %2, %arg0[%arg2, %0] : memref<8x12xf32>
      }
      scf.reduce 
    }
    return
  }
}
