// mlir-opt index-ops.src.mlir --canonicalize, then changed by hand
// Verdict: not equivalent
// Changed: line 18, the first element instead of each; it was
//   %3 = memref.load %arg0[%2] : memref<?xf32>
// RUN: %exits 1 hecv check %S/index-ops.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @halves
// SELF: {{^}}equivalent: @halves

module {
  func.func @halves(%arg0: memref<?xf32>, %arg1: index) {
    %idx0 = index.constant 0
    %idx1 = index.constant 1
    scf.for %arg2 = %idx0 to %arg1 step %idx1 {
      %0 = index.divs %arg2, %idx1
      %1 = index.maxs %0, %0
      %2 = index.shl %1, %idx0
      %3 = memref.load %arg0[%idx0] : memref<?xf32>
      %4 = math.floor %3 : f32
      memref.store %4, %arg0[%arg2] : memref<?xf32>
    }
    return
  }
}
