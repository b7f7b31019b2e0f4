// mlir-opt packed.src.mlir --transform-interpreter --canonicalize --cse, by the script
// pack of linalg.matmul by [4, 5, 2], then changed by hand
// Verdict: not equivalent
// Changed: line 19, tiles in another order; it was
//     %pack_1 = linalg.pack %arg2 inner_dims_pos = [0, 1] inner_tiles = [4, 5] into %2 : tensor<8x10xf32> -> tensor<2x2x4x5xf32>
// RUN: %exits 1 hecv check %S/packed.src.mlir %s | FileCheck %s
// CHECK-DAG: {{^}}not equivalent: @mm

#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d3, d5)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d1, d4, d5)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d4)>
module {
  func.func @mm(%arg0: tensor<8x6xf32>, %arg1: tensor<6x10xf32>, %arg2: tensor<8x10xf32>) -> tensor<8x10xf32> {
    %0 = tensor.empty() : tensor<2x3x4x2xf32>
    %pack = linalg.pack %arg0 inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %0 : tensor<8x6xf32> -> tensor<2x3x4x2xf32>
    %1 = tensor.empty() : tensor<3x2x5x2xf32>
    %pack_0 = linalg.pack %arg1 inner_dims_pos = [1, 0] inner_tiles = [5, 2] into %1 : tensor<6x10xf32> -> tensor<3x2x5x2xf32>
    %2 = tensor.empty() : tensor<2x2x4x5xf32>
    %pack_1 = linalg.pack %arg2 outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 5] into %2 : tensor<8x10xf32> -> tensor<2x2x4x5xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%pack, %pack_0 : tensor<2x3x4x2xf32>, tensor<3x2x5x2xf32>) outs(%pack_1 : tensor<2x2x4x5xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %4 = arith.mulf %in, %in_2 : f32
      %5 = arith.addf %out, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<2x2x4x5xf32>
    %unpack = linalg.unpack %3 inner_dims_pos = [0, 1] inner_tiles = [4, 5] into %arg2 : tensor<2x2x4x5xf32> -> tensor<8x10xf32>
    return %unpack : tensor<8x10xf32>
  }
}
