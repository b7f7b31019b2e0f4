// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-coalescing))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --assume nonneg --func constant --func symbolic --func guarded | FileCheck %s
// CHECK: {{^}}equivalent: @constant
// CHECK: {{^}}equivalent: @symbolic
// CHECK: {{^}}equivalent: @guarded

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  %0 = affine.apply affine_map<() -> (13)>()
  %1 = affine.apply affine_map<() -> (11)>()
  %2 = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%0)[%1]
  %3 = affine.apply affine_map<() -> (7)>()
  %4 = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%2)[%3]
  affine.for %arg3 = 0 to %4 {
    %5 = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%arg3)[%3]
    %6 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%arg3)[%3]
    %7 = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%6)[%1]
    %8 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%6)[%1]
    %9 = affine.load %arg0[%8, %5] : memref<13x7xf32>
    %10 = affine.load %arg1[%5, %7] : memref<7x11xf32>
    %11 = affine.load %arg2[%8, %7] : memref<13x11xf32>
    %12 = arith.mulf %9, %10 : f32
    %13 = arith.addf %11, %12 : f32
    affine.store %13, %arg2[%8, %7] : memref<13x11xf32>
  }
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  %0 = affine.apply affine_map<()[s0] -> (s0)>()[%arg3]
  %1 = affine.apply affine_map<()[s0] -> (s0)>()[%arg4]
  %2 = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%0)[%1]
  %3 = affine.apply affine_map<()[s0] -> (s0)>()[%arg5]
  %4 = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%2)[%3]
  affine.for %arg6 = 0 to %4 {
    %5 = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%arg6)[%3]
    %6 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%arg6)[%3]
    %7 = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%6)[%1]
    %8 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%6)[%1]
    %9 = affine.load %arg0[%8, %5] : memref<?x?xf32>
    %10 = affine.load %arg1[%5, %7] : memref<?x?xf32>
    %11 = affine.load %arg2[%8, %7] : memref<?x?xf32>
    %12 = arith.mulf %9, %10 : f32
    %13 = arith.addf %11, %12 : f32
    affine.store %13, %arg2[%8, %7] : memref<?x?xf32>
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  %0 = affine.apply affine_map<()[s0] -> (s0)>()[%arg2]
  %1 = affine.apply affine_map<()[s0] -> (s0)>()[%arg2]
  %2 = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%0)[%1]
  affine.for %arg3 = 0 to %2 {
    %3 = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%arg3)[%1]
    %4 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%arg3)[%1]
    %5 = affine.load %arg0[%4, %3] : memref<?x?xf32>
    affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%4, %3) {
      %6 = affine.load %arg1[%4, %3] : memref<?x?xf32>
      %7 = arith.addf %5, %6 : f32
      affine.store %7, %arg1[%4, %3] : memref<?x?xf32>
    } else {
      affine.store %5, %arg1[%4, %3] : memref<?x?xf32>
    }
  }
  return
}
