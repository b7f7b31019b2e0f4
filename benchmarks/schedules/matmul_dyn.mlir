// A matrix product of any size tiled by 32, 8 and 4 with another order of the loops at each level.

module attributes {transform.with_named_sequence} {
  func.func @matmul(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
    linalg.matmul ins(%A, %B : memref<?x?xf64>, memref<?x?xf64>) outs(%C : memref<?x?xf64>)
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %all = transform.structured.match ops{["linalg.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %outer, %outer_loops:3 = transform.structured.tile_using_for %all tile_sizes [32, 32, 32] interchange = [1, 2, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %middle, %middle_loops:3 = transform.structured.tile_using_for %outer tile_sizes [8, 8, 8] interchange = [2, 0, 1]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %inner, %inner_loops:3 = transform.structured.tile_using_for %middle tile_sizes [4, 4, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
