func.func @conv(%D: memref<1x10x10x3xf32>, %K: memref<3x3x3x8xf32>, %O: memref<1x8x8x8xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%D, %K: memref<1x10x10x3xf32>, memref<3x3x3x8xf32>) outs(%O: memref<1x8x8x8xf32>)
  return
}
