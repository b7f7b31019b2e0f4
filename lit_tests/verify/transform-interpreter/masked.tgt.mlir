// mlir-opt masked.src.mlir --transform-interpreter --canonicalize --cse, by the script
// tile_using_for of linalg.reduce by [2, 4], vectorize of the tile by [2, 4]
// Verdict: refines
// RUN: %exits 0 hecv check %S/masked.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/masked.src.mlir %S/masked.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}refines: @sums
// SELF: {{^}}equivalent: @sums

#map = affine_map<(d0)[s0] -> (-d0 + s0, 2)>
#map1 = affine_map<(d0)[s0] -> (-d0 + s0, 4)>
module {
  func.func @sums(%arg0: tensor<?x?xi32>, %arg1: tensor<?xi32>) -> tensor<?xi32> {
    %0 = ub.poison : i32
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xi32>
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xi32>
    %1 = scf.for %arg2 = %c0 to %dim step %c2 iter_args(%arg3 = %arg1) -> (tensor<?xi32>) {
      %2 = scf.for %arg4 = %c0 to %dim_0 step %c4 iter_args(%arg5 = %arg3) -> (tensor<?xi32>) {
        %3 = affine.min #map(%arg2)[%dim]
        %4 = affine.min #map1(%arg4)[%dim_0]
        %extracted_slice = tensor.extract_slice %arg0[%arg2, %arg4] [%3, %4] [1, 1] : tensor<?x?xi32> to tensor<?x?xi32>
        %extracted_slice_1 = tensor.extract_slice %arg5[%arg2] [%3] [1] : tensor<?xi32> to tensor<?xi32>
        %5 = vector.create_mask %3, %4 : vector<2x4xi1>
        %6 = vector.mask %5 { vector.transfer_read %extracted_slice[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<?x?xi32>, vector<2x4xi32> } : vector<2x4xi1> -> vector<2x4xi32>
        %7 = vector.create_mask %3 : vector<2xi1>
        %8 = vector.mask %7 { vector.transfer_read %extracted_slice_1[%c0], %0 {in_bounds = [true]} : tensor<?xi32>, vector<2xi32> } : vector<2xi1> -> vector<2xi32>
        %9 = vector.mask %5 { vector.multi_reduction <add>, %6, %8 [1] : vector<2x4xi32> to vector<2xi32> } : vector<2x4xi1> -> vector<2xi32>
        %10 = vector.mask %7 { vector.transfer_write %9, %extracted_slice_1[%c0] {in_bounds = [true]} : vector<2xi32>, tensor<?xi32> } : vector<2xi1> -> tensor<?xi32>
        %inserted_slice = tensor.insert_slice %10 into %arg5[%arg2] [%3] [1] : tensor<?xi32> into tensor<?xi32>
        scf.yield %inserted_slice : tensor<?xi32>
      }
      scf.yield %2 : tensor<?xi32>
    }
    return %1 : tensor<?xi32>
  }
}
