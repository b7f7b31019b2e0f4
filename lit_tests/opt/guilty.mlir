// The pass that changes what the function computes is named, with an input: unrolling by 2 runs the clean-up loop once
// where the bounds cross. Values keep the names that they have here.
// RUN: %exits 1 hecv opt %s --pass-pipeline='canonicalize,affine-loop-unroll{unroll-factor=2},cse' | FileCheck %s
// RUN: %exits 1 hecv opt %s --pass-pipeline='builtin.module(func.func(canonicalize,affine-loop-unroll{unroll-factor=2},cse))' | FileCheck %s

// Where the bounds do not cross, it is right.
// RUN: %exits 0 hecv opt %s --pass-pipeline='canonicalize,affine-loop-unroll{unroll-factor=2},cse' --assume 'lb <= 10' | FileCheck %s --check-prefix=ASSUMED

// CHECK:      {{^}}  1  canonicalize                         unchanged
// CHECK-NEXT: {{^}}  2  affine-loop-unroll{unroll-factor=2}  not equivalent {{.*}} s  %A[9] is 2, expected 1
// CHECK-NEXT: {{^}}  3  cse                                  unchanged
// CHECK-EMPTY:
// CHECK-NEXT: {{^}}pass 2: affine-loop-unroll{unroll-factor=2}
// CHECK-NEXT: {{^}}not equivalent: @scale (
// CHECK-NEXT:   input    %lb = 11, %A = memref<?xi32> [
// CHECK:        --> <02-affine-loop-unroll>:[[LINE:[0-9]+]]:7
// CHECK:        [[LINE]] |       affine.store %w, %A[%i] : memref<?xi32>
// CHECK:      {{^}}not equivalent: pass 2 of 3, affine-loop-unroll{unroll-factor=2}, changes what @scale does (
// CHECK-NEXT:   = note: --save-steps DIR writes

// ASSUMED:      {{^}}  2  affine-loop-unroll{unroll-factor=2}  equivalent {{.*}} proved by {{form|dataflow}}
// ASSUMED:      {{^}}equivalent: 3 passes (
// ASSUMED:        = assumes: lb <= 10 (--assume)

func.func @scale(%lb: index, %A: memref<?xi32>) {
  %c1 = arith.constant 1 : i32
  affine.for %i = %lb to 10 {
    %v = affine.load %A[%i] : memref<?xi32>
    %w = arith.addi %v, %c1 : i32
    affine.store %w, %A[%i] : memref<?xi32>
  }
  return
}
