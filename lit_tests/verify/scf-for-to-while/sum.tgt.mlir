// mlir-opt sum.src.mlir --scf-for-to-while
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/sum.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/sum.src.mlir %S/sum.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @sum
// SELF: {{^}}equivalent: @sum

module {
  func.func @sum(%arg0: memref<?xf32>, %arg1: index, %arg2: f32) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0:2 = scf.while (%arg3 = %c0, %arg4 = %arg2) : (index, f32) -> (index, f32) {
      %2 = arith.cmpi slt, %arg3, %arg1 : index
      scf.condition(%2) %arg3, %arg4 : index, f32
    } do {
    ^bb0(%arg3: index, %arg4: f32):
      %2 = arith.addi %arg3, %c2 : index
      %3 = memref.load %arg0[%arg3] : memref<?xf32>
      %4 = arith.addf %arg4, %3 : f32
      scf.yield %2, %4 : index, f32
    }
    %1 = scf.while (%arg3 = %c0) : (index) -> index {
      %2 = arith.cmpi slt, %arg3, %arg1 : index
      scf.condition(%2) %arg3 : index
    } do {
    ^bb0(%arg3: index):
      %2 = arith.addi %arg3, %c1 : index
      %3 = scf.while (%arg4 = %c0) : (index) -> index {
        %4 = arith.cmpi slt, %arg4, %arg3 : index
        scf.condition(%4) %arg4 : index
      } do {
      ^bb0(%arg4: index):
        %4 = arith.addi %arg4, %c1 : index
        %5 = memref.load %arg0[%arg4] : memref<?xf32>
        memref.store %5, %arg0[%arg3] : memref<?xf32>
        scf.yield %4 : index
      }
      scf.yield %2 : index
    }
    return %0#1 : f32
  }
}
