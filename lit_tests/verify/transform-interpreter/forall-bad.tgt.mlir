// mlir-opt forall.src.mlir --transform-interpreter --canonicalize --cse, by the script
// tile_using_forall of linalg.matmul by num_threads [4, 2], then changed by hand
// Verdict: not equivalent
// Changed: line 18, the second dimension is dropped: tiles race; it was
//       %extracted_slice_1 = tensor.extract_slice %arg5[%1, %2] [2, 5] [1, 1] : tensor<8x10xf32> to tensor<2x5xf32>
// RUN: %exits 1 hecv check %S/forall.src.mlir %s | FileCheck %s
// CHECK-DAG: {{^}}not equivalent: @mm

#map = affine_map<(d0) -> (d0 * 2)>
#map1 = affine_map<(d0) -> (d0 * 5)>
module {
  func.func @mm(%arg0: tensor<8x6xf32>, %arg1: tensor<6x10xf32>, %arg2: tensor<8x10xf32>) -> tensor<8x10xf32> {
    %0 = scf.forall (%arg3, %arg4) in (4, 2) shared_outs(%arg5 = %arg2) -> (tensor<8x10xf32>) {
      %1 = affine.apply #map(%arg3)
      %2 = affine.apply #map1(%arg4)
      %extracted_slice = tensor.extract_slice %arg0[%1, 0] [2, 6] [1, 1] : tensor<8x6xf32> to tensor<2x6xf32>
      %extracted_slice_0 = tensor.extract_slice %arg1[0, %2] [6, 5] [1, 1] : tensor<6x10xf32> to tensor<6x5xf32>
      %extracted_slice_1 = tensor.extract_slice %arg5[%1, 0] [2, 5] [1, 1] : tensor<8x10xf32> to tensor<2x5xf32>
      %3 = linalg.matmul ins(%extracted_slice, %extracted_slice_0 : tensor<2x6xf32>, tensor<6x5xf32>) outs(%extracted_slice_1 : tensor<2x5xf32>) -> tensor<2x5xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %3 into %arg5[%1, %2] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<8x10xf32>
      }
    }
    return %0 : tensor<8x10xf32>
  }
}
