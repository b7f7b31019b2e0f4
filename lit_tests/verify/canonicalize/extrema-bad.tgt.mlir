// mlir-opt extrema.src.mlir --pass-pipeline='builtin.module(func.func(canonicalize))', then changed by hand
// Verdict: not equivalent
// Changed: line 11, the lesser; it was
//   %0 = arith.maxnumf %arg0, %cst : f32
// RUN: %exits 1 hecv check %S/extrema.src.mlir %s | FileCheck %s
// CHECK: {{^}}not equivalent: @relu

module {
  func.func @relu(%arg0: f32, %arg1: f32, %arg2: f32) -> (f32, f32) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = arith.minnumf %arg0, %cst : f32
    %1 = arith.maxnumf %arg1, %arg2 : f32
    return %0, %1 : f32, f32
  }
}

