// mlir-opt rows.src.mlir --affine-parallelize
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/rows.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/rows.src.mlir %S/rows.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @rows
// SELF: {{^}}equivalent: @rows

module {
  func.func @rows(%arg0: memref<?x?xf64>, %arg1: index, %arg2: index) {
    affine.parallel (%arg3) = (0) to (symbol(%arg1)) {
      affine.for %arg4 = 1 to %arg2 {
        %0 = affine.load %arg0[%arg3, %arg4 - 1] : memref<?x?xf64>
        %1 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %arg0[%arg3, %arg4] : memref<?x?xf64>
      }
    }
    return
  }
}
