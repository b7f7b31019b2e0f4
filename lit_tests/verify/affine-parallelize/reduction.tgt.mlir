// mlir-opt reduction.src.mlir --affine-parallelize=parallel-reductions --canonicalize
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/reduction.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/reduction.src.mlir %S/reduction.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @count
// SELF: {{^}}equivalent: @count

module {
  func.func @count(%arg0: memref<16xi32>) -> i32 {
    %0 = affine.parallel (%arg1) = (0) to (16) reduce ("addi") -> (i32) {
      %1 = affine.load %arg0[%arg1] : memref<16xi32>
      affine.yield %1 : i32
    }
    return %0 : i32
  }
}
