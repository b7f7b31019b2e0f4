// mlir-opt dynamic-tiles.src.mlir --transform-interpreter --canonicalize --cse, by the script
// tile_using_for of linalg.matvec by [7, 3], then changed by hand
// Verdict: not equivalent
// Changed: line 27, the index of another loop; it was
//         %inserted_slice = tensor.insert_slice %4 into %arg6[%arg3] [%2] [1] : tensor<?xf32> into tensor<?xf32>
// RUN: %exits 1 hecv check %S/dynamic-tiles.src.mlir %s | FileCheck %s
// CHECK-DAG: {{^}}not equivalent: @mv

#map = affine_map<(d0)[s0] -> (-d0 + s0, 7)>
#map1 = affine_map<(d0)[s0] -> (-d0 + s0, 3)>
module {
  func.func @mv(%arg0: tensor<?x?xf32>, %arg1: tensor<?xf32>, %arg2: tensor<?xf32>) -> tensor<?xf32> {
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xf32>
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xf32>
    %0 = scf.for %arg3 = %c0 to %dim step %c7 iter_args(%arg4 = %arg2) -> (tensor<?xf32>) {
      %1 = scf.for %arg5 = %c0 to %dim_0 step %c3 iter_args(%arg6 = %arg4) -> (tensor<?xf32>) {
        %2 = affine.min #map(%arg3)[%dim]
        %3 = affine.min #map1(%arg5)[%dim_0]
        %extracted_slice = tensor.extract_slice %arg0[%arg3, %arg5] [%2, %3] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
        %extracted_slice_1 = tensor.extract_slice %arg1[%arg5] [%3] [1] : tensor<?xf32> to tensor<?xf32>
        %extracted_slice_2 = tensor.extract_slice %arg6[%arg3] [%2] [1] : tensor<?xf32> to tensor<?xf32>
        %4 = linalg.matvec ins(%extracted_slice, %extracted_slice_1 : tensor<?x?xf32>, tensor<?xf32>) outs(%extracted_slice_2 : tensor<?xf32>) -> tensor<?xf32>
        %inserted_slice = tensor.insert_slice %4 into %arg6[%arg5] [%2] [1] : tensor<?xf32> into tensor<?xf32>
        scf.yield %inserted_slice : tensor<?xf32>
      }
      scf.yield %1 : tensor<?xf32>
    }
    return %0 : tensor<?xf32>
  }
}
