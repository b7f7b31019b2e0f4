// powers.src.mlir by mlir-opt --math-expand-ops
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/powers.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @square
// CHECK: {{^}}equivalent: @cube
module {
  func.func @square(%arg0: f32) -> f32 {
    %0 = arith.mulf %arg0, %arg0 : f32
    return %0 : f32
  }
  func.func @cube(%arg0: vector<4xf16>) -> vector<4xf16> {
    %0 = arith.mulf %arg0, %arg0 : vector<4xf16>
    %1 = arith.mulf %0, %arg0 : vector<4xf16>
    return %1 : vector<4xf16>
  }
}
