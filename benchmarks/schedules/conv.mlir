// A convolution tiled over images and channels, then over rows and columns, its filter loops interchanged and unrolled.

module attributes {transform.with_named_sequence} {
  func.func @conv(%image: memref<1x18x18x4xf32>, %filter: memref<3x3x4x8xf32>, %out: memref<1x16x16x8xf32>) {
    linalg.conv_2d_nhwc_hwcf ins(%image, %filter : memref<1x18x18x4xf32>, memref<3x3x4x8xf32>)
      outs(%out : memref<1x16x16x8xf32>)
    return
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %all = transform.structured.match ops{["linalg.conv_2d_nhwc_hwcf"]} in %module : (!transform.any_op) -> !transform.any_op
    %outer, %outer_loops:3 = transform.structured.tile_using_for %all tile_sizes [0, 8, 8, 4] interchange = [0, 3, 1, 2]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %inner, %inner_loops:3 = transform.structured.tile_using_for %outer tile_sizes [0, 1, 1, 0, 1, 0, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.loop.unroll %inner_loops#2 {factor = 3} : !transform.any_op
    transform.yield
  }
}
