// `index.sub` wraps around: 0 - x is negative for the smallest x. `canonicalize` makes `0 > x` of `0 - x > 0`.
//
// RUN: mlir-opt %s -canonicalize -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @positive
// CHECK: input %x = -9223372036854775808
// CHECK: source result0 = false
// CHECK: target result0 = true
func.func @positive(%x: index) -> i1 {
  %c0 = index.constant 0
  %d = index.sub %c0, %x
  %r = index.cmp sgt(%d, %c0)
  return %r : i1
}
