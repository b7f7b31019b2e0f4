// mlir-opt tiled-tensors.src.mlir --transform-interpreter --canonicalize --cse, by the script
// tile_using_for of linalg.matmul by [2, 3, 4]
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/tiled-tensors.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/tiled-tensors.src.mlir %S/tiled-tensors.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @mm
// SELF: {{^}}equivalent: @mm

module {
  func.func @mm(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>, %arg2: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %c8 = arith.constant 8 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %0 = scf.for %arg3 = %c0 to %c4 step %c2 iter_args(%arg4 = %arg2) -> (tensor<4x6xf32>) {
      %1 = scf.for %arg5 = %c0 to %c6 step %c3 iter_args(%arg6 = %arg4) -> (tensor<4x6xf32>) {
        %2 = scf.for %arg7 = %c0 to %c8 step %c4 iter_args(%arg8 = %arg6) -> (tensor<4x6xf32>) {
          %extracted_slice = tensor.extract_slice %arg0[%arg3, %arg7] [2, 4] [1, 1] : tensor<4x8xf32> to tensor<2x4xf32>
          %extracted_slice_0 = tensor.extract_slice %arg1[%arg7, %arg5] [4, 3] [1, 1] : tensor<8x6xf32> to tensor<4x3xf32>
          %extracted_slice_1 = tensor.extract_slice %arg8[%arg3, %arg5] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
          %3 = linalg.matmul ins(%extracted_slice, %extracted_slice_0 : tensor<2x4xf32>, tensor<4x3xf32>) outs(%extracted_slice_1 : tensor<2x3xf32>) -> tensor<2x3xf32>
          %inserted_slice = tensor.insert_slice %3 into %arg8[%arg3, %arg5] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
          scf.yield %inserted_slice : tensor<4x6xf32>
        }
        scf.yield %2 : tensor<4x6xf32>
      }
      scf.yield %1 : tensor<4x6xf32>
    }
    return %0 : tensor<4x6xf32>
  }
}

