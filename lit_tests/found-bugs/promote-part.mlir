// `promote` with full tiles replaces an operand by a buffer of the whole tile. Of an op of which it promotes only some
// operands, the others keep the size of the partial tile, and the shapes no longer agree.
//
// RUN: mlir-opt %s -transform-interpreter -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir --func double | FileCheck %s

// CHECK: not equivalent: @double
// CHECK: input {{.*}}%n =
// CHECK: source returns
// CHECK: target undefined: shapes do not agree
func.func @double(%a: memref<8xf32>, %b: memref<8xf32>, %n: index) {
  %s = affine.min affine_map<(d0) -> (d0, 4)>(%n)
  %0 = memref.subview %a[0] [%s] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  %1 = memref.subview %b[0] [%s] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  linalg.add ins(%0, %0 : memref<?xf32, strided<[1]>>, memref<?xf32, strided<[1]>>) outs(%1 : memref<?xf32, strided<[1]>>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.add"]} in %root : (!transform.any_op) -> !transform.any_op
    %p = transform.structured.promote %op { operands_to_promote = [2], use_full_tiles_by_default } : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
