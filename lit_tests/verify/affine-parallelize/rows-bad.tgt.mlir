// mlir-opt rows.src.mlir --affine-parallelize, then changed by hand
// Verdict: not equivalent
// Changed: line 14, the columns race; it was
//   affine.for %arg4 = 1 to %arg2 {
// RUN: %exits 1 hecv check %S/rows.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @rows
// CHECK: a race: iterations 1 and 2 of a parallel loop access element
// SELF: {{^}}equivalent: @rows

module {
  func.func @rows(%arg0: memref<?x?xf64>, %arg1: index, %arg2: index) {
    affine.parallel (%arg3) = (0) to (symbol(%arg1)) {
      affine.parallel (%arg4) = (1) to (symbol(%arg2)) {
        %0 = affine.load %arg0[%arg3, %arg4 - 1] : memref<?x?xf64>
        %1 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %arg0[%arg3, %arg4] : memref<?x?xf64>
      }
    }
    return
  }
}
