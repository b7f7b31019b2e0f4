// mlir-opt padded.src.mlir --transform-interpreter --canonicalize --cse: the first by tile_using_for [3, 0, 4] and pad, the
// second by pack [4, 5, 4], lower_pack and lower_unpack, then changed by hand
// Verdict: not equivalent
// Changed: lines 22 and 60, padding of ones; it was
//   %c0_i32 = arith.constant 0 : i32
// RUN: %exits 1 hecv check %S/padded.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK-DAG: {{^}}not equivalent: @padded
// CHECK-DAG: {{^}}not equivalent: @packed
// SELF-DAG: {{^}}equivalent: @padded
// SELF-DAG: {{^}}equivalent: @packed

#m0_0 = affine_map<(d0) -> (-d0 + 8, 3)>
#m0_1 = affine_map<(d0) -> (-d0 + 6, 4)>
#m0_2 = affine_map<(d0) -> (-d0 + 3)>
#m0_3 = affine_map<(d0) -> (-d0 + 4)>
#m1_0 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d3, d5)>
#m1_1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d1, d4, d5)>
#m1_2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d4)>
module {
  func.func @padded(%arg0: tensor<8x6xi32>, %arg1: tensor<6x10xi32>, %arg2: tensor<8x10xi32>) -> tensor<8x10xi32> {
    %c0_i32 = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c6 = arith.constant 6 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %0 = scf.for %arg3 = %c0 to %c8 step %c3 iter_args(%arg4 = %arg2) -> (tensor<8x10xi32>) {
      %1 = scf.for %arg5 = %c0 to %c6 step %c4 iter_args(%arg6 = %arg4) -> (tensor<8x10xi32>) {
        %2 = affine.min #m0_0(%arg3)
        %3 = affine.min #m0_1(%arg5)
        %extracted_slice = tensor.extract_slice %arg0[%arg3, %arg5] [%2, %3] [1, 1] : tensor<8x6xi32> to tensor<?x?xi32>
        %extracted_slice_0 = tensor.extract_slice %arg1[%arg5, 0] [%3, 10] [1, 1] : tensor<6x10xi32> to tensor<?x10xi32>
        %extracted_slice_1 = tensor.extract_slice %arg6[%arg3, 0] [%2, 10] [1, 1] : tensor<8x10xi32> to tensor<?x10xi32>
        %4 = affine.apply #m0_2(%2)
        %5 = affine.apply #m0_3(%3)
        %padded = tensor.pad %extracted_slice low[0, 0] high[%4, %5] {
        ^bb0(%arg7: index, %arg8: index):
          tensor.yield %c0_i32 : i32
        } : tensor<?x?xi32> to tensor<3x4xi32>
        %padded_2 = tensor.pad %extracted_slice_0 low[0, 0] high[%5, 0] {
        ^bb0(%arg7: index, %arg8: index):
          tensor.yield %c0_i32 : i32
        } : tensor<?x10xi32> to tensor<4x10xi32>
        %padded_3 = tensor.pad %extracted_slice_1 low[0, 0] high[%4, 0] {
        ^bb0(%arg7: index, %arg8: index):
          tensor.yield %c0_i32 : i32
        } : tensor<?x10xi32> to tensor<3x10xi32>
        %6 = linalg.matmul ins(%padded, %padded_2 : tensor<3x4xi32>, tensor<4x10xi32>) outs(%padded_3 : tensor<3x10xi32>) -> tensor<3x10xi32>
        %extracted_slice_4 = tensor.extract_slice %6[0, 0] [%2, 10] [1, 1] : tensor<3x10xi32> to tensor<?x10xi32>
        %7 = bufferization.materialize_in_destination %extracted_slice_4 in %extracted_slice_1 : (tensor<?x10xi32>, tensor<?x10xi32>) -> tensor<?x10xi32>
        %inserted_slice = tensor.insert_slice %7 into %arg6[%arg3, 0] [%2, 10] [1, 1] : tensor<?x10xi32> into tensor<8x10xi32>
        scf.yield %inserted_slice : tensor<8x10xi32>
      }
      scf.yield %1 : tensor<8x10xi32>
    }
    return %0 : tensor<8x10xi32>
  }
  func.func @packed(%arg0: tensor<8x6xi32>, %arg1: tensor<6x10xi32>, %arg2: tensor<8x10xi32>) -> tensor<8x10xi32> {
    %c0_i32 = arith.constant 1 : i32
    %0 = tensor.empty() : tensor<2x2x4x4xi32>
    %padded = tensor.pad %arg0 low[0, 0] high[0, 2] {
    ^bb0(%arg3: index, %arg4: index):
      tensor.yield %c0_i32 : i32
    } : tensor<8x6xi32> to tensor<8x8xi32>
    %expanded = tensor.expand_shape %padded [[0, 1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<8x8xi32> into tensor<2x4x2x4xi32>
    %transposed = linalg.transpose ins(%expanded : tensor<2x4x2x4xi32>) outs(%0 : tensor<2x2x4x4xi32>) permutation = [0, 2, 1, 3] 
    %1 = tensor.empty() : tensor<2x2x5x4xi32>
    %padded_0 = tensor.pad %arg1 low[0, 0] high[2, 0] {
    ^bb0(%arg3: index, %arg4: index):
      tensor.yield %c0_i32 : i32
    } : tensor<6x10xi32> to tensor<8x10xi32>
    %expanded_1 = tensor.expand_shape %padded_0 [[0, 1], [2, 3]] output_shape [2, 4, 2, 5] : tensor<8x10xi32> into tensor<2x4x2x5xi32>
    %transposed_2 = linalg.transpose ins(%expanded_1 : tensor<2x4x2x5xi32>) outs(%1 : tensor<2x2x5x4xi32>) permutation = [0, 2, 3, 1] 
    %2 = tensor.empty() : tensor<2x2x4x5xi32>
    %expanded_3 = tensor.expand_shape %arg2 [[0, 1], [2, 3]] output_shape [2, 4, 2, 5] : tensor<8x10xi32> into tensor<2x4x2x5xi32>
    %transposed_4 = linalg.transpose ins(%expanded_3 : tensor<2x4x2x5xi32>) outs(%2 : tensor<2x2x4x5xi32>) permutation = [0, 2, 1, 3] 
    %3 = linalg.generic {indexing_maps = [#m1_0, #m1_1, #m1_2], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%transposed, %transposed_2 : tensor<2x2x4x4xi32>, tensor<2x2x5x4xi32>) outs(%transposed_4 : tensor<2x2x4x5xi32>) {
    ^bb0(%in: i32, %in_6: i32, %out: i32):
      %6 = arith.muli %in, %in_6 : i32
      %7 = arith.addi %out, %6 : i32
      linalg.yield %7 : i32
    } -> tensor<2x2x4x5xi32>
    %4 = tensor.empty() : tensor<2x4x2x5xi32>
    %transposed_5 = linalg.transpose ins(%3 : tensor<2x2x4x5xi32>) outs(%4 : tensor<2x4x2x5xi32>) permutation = [0, 2, 1, 3] 
    %collapsed = tensor.collapse_shape %transposed_5 [[0, 1], [2, 3]] : tensor<2x4x2x5xi32> into tensor<8x10xi32>
    %5 = linalg.copy ins(%collapsed : tensor<8x10xi32>) outs(%arg2 : tensor<8x10xi32>) -> tensor<8x10xi32>
    return %5 : tensor<8x10xi32>
  }
}
