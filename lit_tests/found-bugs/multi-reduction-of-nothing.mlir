// A `vector.multi_reduction` that reduces no dimension still combines with the accumulator. `canonicalize` drops the
// accumulator.
//
// RUN: mlir-opt %s -canonicalize -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @lanes
// CHECK: source result0 = [1, 1, 1, 1]
// CHECK: target result0 = [0, 0, 0, 0]
func.func @lanes(%v: vector<4xi32>, %acc: vector<4xi32>) -> vector<4xi32> {
  %r = vector.multi_reduction <add>, %v, %acc [] : vector<4xi32> to vector<4xi32>
  return %r : vector<4xi32>
}
