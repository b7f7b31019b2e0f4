// A memref of n elements of 4 bits takes ceil(n / 2) bytes. The emulation of narrow types allocates floor(n / 2): none
// for one element.
//
// RUN: mlir-opt %s -test-emulate-narrow-int=memref-load-bitwidth=8 -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir --assume 'n <= 1' | FileCheck %s

// CHECK: not equivalent: @keep
// CHECK: input %n = 1
// CHECK: source result0 = 0
// CHECK: target undefined: out of bounds: index 0 of dimension 0, extent 0
func.func @keep(%n: index, %v: i4) -> i4 {
  %c0 = arith.constant 0 : index
  %m = memref.alloc(%n) : memref<?xi4>
  memref.store %v, %m[%c0] : memref<?xi4>
  %r = memref.load %m[%c0] : memref<?xi4>
  return %r : i4
}
