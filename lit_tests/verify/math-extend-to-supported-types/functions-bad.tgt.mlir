// functions.tgt.mlir, changed by hand
// Verdict: not equivalent
// Changed: @gate rounds in another direction, @powers is of a sum that is not rounded to bf16; it was
//   %3 = arith.truncf %2 fastmath<contract> : f32 to f16
//   %2 = math.powf %1, %1 : f32
// RUN: %exits 1 hecv check %S/functions.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @gate
// CHECK: {{^}}not equivalent: @powers
// SELF: {{^}}equivalent: @gate
// SELF: {{^}}equivalent: @powers
module {
  func.func @gate(%arg0: f16, %arg1: bf16) -> (f16, f16, bf16) {
    %0 = arith.extf %arg1 fastmath<contract> : bf16 to f32
    %1 = arith.extf %arg0 fastmath<contract> : f16 to f32
    %2 = math.exp %1 : f32
    %3 = arith.truncf %2 upward fastmath<contract> : f32 to f16
    %4 = math.floor %1 : f32
    %5 = arith.truncf %4 upward fastmath<contract> : f32 to f16
    %6 = math.tanh %0 : f32
    %7 = arith.truncf %6 fastmath<contract> : f32 to bf16
    return %3, %5, %7 : f16, f16, bf16
  }
  func.func @powers(%arg0: memref<?xbf16>, %arg1: memref<?xbf16>, %arg2: index) {
    affine.for %arg3 = 0 to %arg2 {
      %0 = affine.load %arg0[%arg3] : memref<?xbf16>
      %1 = arith.extf %0 fastmath<contract> : bf16 to f32
      %m = arith.addf %1, %1 : f32
      %2 = math.powf %m, %1 : f32
      %3 = arith.truncf %2 fastmath<contract> : f32 to bf16
      affine.store %3, %arg1[%arg3] : memref<?xbf16>
    }
    return
  }
}
