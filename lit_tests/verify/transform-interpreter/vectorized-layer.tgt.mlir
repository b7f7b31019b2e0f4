// mlir-opt vectorized-layer.src.mlir --transform-interpreter --canonicalize --cse, by the script
// tile_using_for of linalg.matmul by [2, 2, 4], vectorize_children_and_apply_patterns
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/vectorized-layer.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/vectorized-layer.src.mlir %S/vectorized-layer.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @mlp
// SELF: {{^}}equivalent: @mlp

#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @mlp(%arg0: tensor<2x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4xf32>) -> tensor<2x4xf32> {
    %0 = ub.poison : f32
    %cst = arith.constant dense<0.000000e+00> : vector<2x4xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<2x4xf32>
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %1 = tensor.empty() : tensor<2x4xf32>
    %2 = vector.transfer_write %cst, %1[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, tensor<2x4xf32>
    %3 = scf.for %arg3 = %c0 to %c4 step %c2 iter_args(%arg4 = %2) -> (tensor<2x4xf32>) {
      %10 = scf.for %arg5 = %c0 to %c8 step %c4 iter_args(%arg6 = %arg4) -> (tensor<2x4xf32>) {
        %11 = vector.transfer_read %arg0[%c0, %arg5], %0 {in_bounds = [true, true]} : tensor<2x8xf32>, vector<2x4xf32>
        %12 = vector.transfer_read %arg1[%arg5, %arg3], %0 {in_bounds = [true, true]} : tensor<8x4xf32>, vector<4x2xf32>
        %13 = vector.transfer_read %arg6[%c0, %arg3], %0 {in_bounds = [true, true]} : tensor<2x4xf32>, vector<2x2xf32>
        %14 = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %11, %12, %13 : vector<2x4xf32>, vector<4x2xf32> into vector<2x2xf32>
        %15 = vector.transfer_write %14, %arg6[%c0, %arg3] {in_bounds = [true, true]} : vector<2x2xf32>, tensor<2x4xf32>
        scf.yield %15 : tensor<2x4xf32>
      }
      scf.yield %10 : tensor<2x4xf32>
    }
    %4 = vector.transfer_read %arg2[%c0], %0 {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
    %5 = vector.broadcast %4 : vector<4xf32> to vector<2x4xf32>
    %6 = vector.transfer_read %3[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<2x4xf32>, vector<2x4xf32>
    %7 = arith.addf %6, %5 : vector<2x4xf32>
    %8 = vector.transfer_write %7, %1[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, tensor<2x4xf32>
    %9 = arith.maximumf %8, %cst_0 : tensor<2x4xf32>
    return %9 : tensor<2x4xf32>
  }
}

