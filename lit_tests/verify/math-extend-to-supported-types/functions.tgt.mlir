// functions.src.mlir by mlir-opt --math-extend-to-supported-types
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/functions.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @gate
// CHECK: {{^}}equivalent: @powers
// CHECK: assumes: on f16 and bf16 these are what they are on f32, rounded: math.exp,
// CHECK-NEXT: math.tanh [@gate]
// CHECK: assumes: on f16 and bf16 these are what they are on f32, rounded: math.powf
// CHECK-NEXT: [@powers]
module {
  func.func @gate(%arg0: f16, %arg1: bf16) -> (f16, f16, bf16) {
    %0 = arith.extf %arg1 fastmath<contract> : bf16 to f32
    %1 = arith.extf %arg0 fastmath<contract> : f16 to f32
    %2 = math.exp %1 : f32
    %3 = arith.truncf %2 fastmath<contract> : f32 to f16
    %4 = math.floor %1 : f32
    %5 = arith.truncf %4 fastmath<contract> : f32 to f16
    %6 = math.tanh %0 : f32
    %7 = arith.truncf %6 fastmath<contract> : f32 to bf16
    return %3, %5, %7 : f16, f16, bf16
  }
  func.func @powers(%arg0: memref<?xbf16>, %arg1: memref<?xbf16>, %arg2: index) {
    affine.for %arg3 = 0 to %arg2 {
      %0 = affine.load %arg0[%arg3] : memref<?xbf16>
      %1 = arith.extf %0 fastmath<contract> : bf16 to f32
      %2 = math.powf %1, %1 : f32
      %3 = arith.truncf %2 fastmath<contract> : f32 to bf16
      affine.store %3, %arg1[%arg3] : memref<?xbf16>
    }
    return
  }
}
