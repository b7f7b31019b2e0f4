// A transfer that begins beyond the end of its memref reads padding only. `split_transfer_full_partial` by linalg-copy
// takes `memref.subview %A[%i] [min(dim - %i, 4)]` of it: a negative size, outside of the memref.
//
// RUN: mlir-opt %s -transform-interpreter -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir --func read | FileCheck %s

// CHECK: not equivalent: @read
// CHECK: input {{.*}}%i =
// CHECK: source returns
// CHECK: target undefined: a view is not within %arg0
func.func @read(%A: memref<8xf32>, %i: index) -> vector<4xf32> {
  %f0 = arith.constant 0.0 : f32
  %v = vector.transfer_read %A[%i], %f0 : memref<8xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.op<"func.func">
    transform.apply_patterns to %f {
      transform.apply_patterns.vector.split_transfer_full_partial split_transfer_strategy = "linalg-copy"
    } : !transform.op<"func.func">
    transform.yield
  }
}
