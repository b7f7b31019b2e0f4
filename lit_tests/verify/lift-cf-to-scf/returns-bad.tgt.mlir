// mlir-opt returns.src.mlir --lift-cf-to-scf --canonicalize, then changed by hand
// Verdict: not equivalent
// Changed: line 23, one iteration more; it was
//   %5 = arith.cmpi slt, %4, %arg1 : index
// RUN: %exits 1 hecv check %S/returns.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @returns
// SELF: {{^}}equivalent: @returns

module {
  func.func @returns(%arg0: memref<?xi32>, %arg1: index, %arg2: i1) -> i32 {
    %c1_i32 = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = scf.if %arg2 -> (i32) {
      scf.yield %c1_i32 : i32
    } else {
      %1:2 = scf.while (%arg3 = %c0) : (index) -> (index, i32) {
        %2 = memref.load %arg0[%arg3] : memref<?xi32>
        %3 = arith.addi %2, %c1_i32 : i32
        memref.store %3, %arg0[%arg3] : memref<?xi32>
        %4 = arith.addi %arg3, %c1 : index
        %5 = arith.cmpi sle, %4, %arg1 : index
        scf.condition(%5) %4, %3 : index, i32
      } do {
      ^bb0(%arg3: index, %arg4: i32):
        scf.yield %arg3 : index
      }
      scf.yield %1#1 : i32
    }
    return %0 : i32
  }
}
