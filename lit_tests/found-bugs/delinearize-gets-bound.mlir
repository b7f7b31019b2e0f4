// The first result of `delinearize_index` into (4, 8) with three results has no bound. `canonicalize` joins the first two
// and gives them the bound 12 of the op that uses them, where nothing says that they are below it.
//
// RUN: mlir-opt %s -canonicalize -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @joined
// CHECK: input %a = 96
// CHECK: target result0 = poison
func.func @joined(%a: index, %b: index) -> index {
  %0:3 = affine.delinearize_index %a into (4, 8) : index, index, index
  %1 = affine.linearize_index [%0#0, %0#1, %b] by (3, 4, 16) : index
  return %1 : index
}
