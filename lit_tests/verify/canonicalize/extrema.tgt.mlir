// mlir-opt extrema.src.mlir --pass-pipeline='builtin.module(func.func(canonicalize))'
// Verdict: refines
// RUN: %exits 0 hecv check %S/extrema.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SAME
// CHECK: {{^}}refines: @relu
// CHECK-NEXT: = note: the source does not refine the target: the target has operands of{{[[:space:]]+}}maxnumf or minnumf in another order
// SAME: {{^}}equivalent: @relu

module {
  func.func @relu(%arg0: f32, %arg1: f32, %arg2: f32) -> (f32, f32) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = arith.maxnumf %arg0, %cst : f32
    %1 = arith.maxnumf %arg1, %arg2 : f32
    return %0, %1 : f32, f32
  }
}

