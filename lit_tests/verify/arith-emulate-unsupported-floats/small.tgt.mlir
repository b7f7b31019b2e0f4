// small.src.mlir by mlir-opt --arith-emulate-unsupported-floats='source-types=f8E4M3FN,f8E5M2FNUZ target-type=f32', without
// the flag `contract` on its casts, which would let them go together
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/small.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @polynomial
// CHECK: {{^}}equivalent: @quotient
module {
  func.func @polynomial(%arg0: f8E4M3FN) -> f8E4M3FN {
    %0 = arith.extf %arg0 : f8E4M3FN to f32
    %cst = arith.constant 1.500000e+00 : f8E4M3FN
    %1 = arith.extf %cst : f8E4M3FN to f32
    %2 = arith.mulf %0, %0 : f32
    %3 = arith.truncf %2 : f32 to f8E4M3FN
    %4 = arith.extf %3 : f8E4M3FN to f32
    %5 = arith.addf %4, %1 : f32
    %6 = arith.truncf %5 : f32 to f8E4M3FN
    return %6 : f8E4M3FN
  }
  func.func @quotient(%arg0: f8E5M2FNUZ) -> f8E5M2FNUZ {
    %0 = arith.extf %arg0 : f8E5M2FNUZ to f32
    %cst = arith.constant 3.000000e+00 : f8E5M2FNUZ
    %1 = arith.extf %cst : f8E5M2FNUZ to f32
    %2 = arith.divf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to f8E5M2FNUZ
    %4 = arith.extf %3 : f8E5M2FNUZ to f32
    %5 = arith.subf %4, %0 : f32
    %6 = arith.truncf %5 : f32 to f8E5M2FNUZ
    return %6 : f8E5M2FNUZ
  }
}

