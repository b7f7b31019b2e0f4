// mlir-opt last.src.mlir --test-scf-uplift-while-to-for
// Verdict: not equivalent
// Changed: nothing, this is a bug of mlir-opt 22: the counter after no iteration is that of one
// RUN: %exits 1 hecv check %S/last.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/last.src.mlir %S/last.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @last
// SELF: {{^}}equivalent: @last

module {
  func.func @last(%arg0: memref<?xi32>, %arg1: index, %arg2: i32) -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg3 = %c0 to %arg1 step %c1 {
      memref.store %arg2, %arg0[%arg3] : memref<?xi32>
    }
    %0 = arith.subi %arg1, %c1 : index
    return %0 : index
  }
}
