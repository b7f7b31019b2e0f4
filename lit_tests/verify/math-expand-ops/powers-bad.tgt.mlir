// powers.tgt.mlir, changed by hand
// Verdict: not equivalent
// Changed: the first products are sums; it was
//   %0 = arith.mulf %arg0, %arg0 : f32
// RUN: %exits 1 hecv check %S/powers.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @square
// CHECK: {{^}}not equivalent: @cube
// SELF: {{^}}equivalent: @square
// SELF: {{^}}equivalent: @cube
module {
  func.func @square(%arg0: f32) -> f32 {
    %0 = arith.addf %arg0, %arg0 : f32
    return %0 : f32
  }
  func.func @cube(%arg0: vector<4xf16>) -> vector<4xf16> {
    %0 = arith.addf %arg0, %arg0 : vector<4xf16>
    %1 = arith.mulf %0, %arg0 : vector<4xf16>
    return %1 : vector<4xf16>
  }
}
