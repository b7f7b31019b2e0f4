// `hoist_pad` moves the pad of a loop-carried tile out of the loop, and slices the result behind it. That slice has the
// offset of the tile in the whole tensor, `[%i]`, but is taken of the padded tile: from the second tile on outside of it.
//
// RUN: mlir-opt %s -transform-interpreter -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir --func sums | FileCheck %s

// CHECK: not equivalent: @sums
// CHECK: source returns
// CHECK: target undefined: a slice is not within its tensor
// CHECK: tensor.extract_slice {{.*}} : tensor<2xf32> to tensor<?xf32>
func.func @sums(%x: tensor<3x2xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
  %0 = linalg.reduce ins(%x : tensor<3x2xf32>) outs(%out : tensor<3xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %0 : tensor<3xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.reduce"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [2, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %padded, %0, %copy_back = transform.structured.pad %tiled {
      padding_values = [0.0 : f32, 0.0 : f32], padding_dimensions = [0, 1], copy_back_op = "none"
    } : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %pad = transform.get_producer_of_operand %padded[1] : (!transform.any_op) -> !transform.op<"tensor.pad">
    transform.apply_licm to %loops#1 : !transform.any_op
    transform.structured.hoist_pad %pad by 1 loops : (!transform.op<"tensor.pad">) -> !transform.any_op
    transform.yield
  }
}
