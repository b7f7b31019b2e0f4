// mlir-opt extrema.src.mlir --pass-pipeline='builtin.module(func.func(arith-expand))'
// Verdict: not equivalent
// The pass of LLVM 22.1.8 is wrong: maximumf(0.0, -0.0) is 0.0, the expansion gives -0.0.
// RUN: %exits 1 hecv check %S/extrema.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/extrema.src.mlir %S/extrema.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @extrema
// SELF: {{^}}equivalent: @extrema

module {
  func.func @extrema(%arg0: memref<16xf32>, %arg1: memref<16xf32>, %arg2: memref<16xf32>) {
    affine.for %arg3 = 0 to 16 {
      %0 = affine.load %arg0[%arg3] : memref<16xf32>
      %1 = affine.load %arg1[%arg3] : memref<16xf32>
      %2 = arith.cmpf ugt, %0, %1 : f32
      %3 = arith.select %2, %0, %1 : f32
      %4 = arith.cmpf uno, %1, %1 : f32
      %5 = arith.select %4, %1, %3 : f32
      affine.store %5, %arg2[%arg3] : memref<16xf32>
    }
    return
  }
}
