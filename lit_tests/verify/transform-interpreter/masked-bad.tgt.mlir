// mlir-opt masked.src.mlir --transform-interpreter --canonicalize --cse, by the script
// vectorize of linalg.reduce by [2, 4]
// Verdict: not equivalent
// Wrong as it is made: there are no tiles, and the vectors have not all elements
// RUN: %exits 1 hecv check %S/masked.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @sums
// SELF: {{^}}equivalent: @sums

module {
  func.func @sums(%arg0: tensor<?x?xi32>, %arg1: tensor<?xi32>) -> tensor<?xi32> {
    %0 = ub.poison : i32
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xi32>
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xi32>
    %1 = vector.create_mask %dim, %dim_0 : vector<2x4xi1>
    %2 = vector.mask %1 { vector.transfer_read %arg0[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<?x?xi32>, vector<2x4xi32> } : vector<2x4xi1> -> vector<2x4xi32>
    %3 = vector.create_mask %dim : vector<2xi1>
    %4 = vector.mask %3 { vector.transfer_read %arg1[%c0], %0 {in_bounds = [true]} : tensor<?xi32>, vector<2xi32> } : vector<2xi1> -> vector<2xi32>
    %5 = vector.mask %1 { vector.multi_reduction <add>, %2, %4 [1] : vector<2x4xi32> to vector<2xi32> } : vector<2x4xi1> -> vector<2xi32>
    %6 = vector.mask %3 { vector.transfer_write %5, %arg1[%c0] {in_bounds = [true]} : vector<2xi32>, tensor<?xi32> } : vector<2xi1> -> tensor<?xi32>
    return %6 : tensor<?xi32>
  }
}
