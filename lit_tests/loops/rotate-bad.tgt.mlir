// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine),scf-for-to-while,func.func(test-wrap-scf-while-loop-in-zero-trip-check))', then changed by hand
// Verdict: not equivalent
// Changed: @triangular: a loop of no iterations runs once
// Changed: @stencil: one iteration more
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func triangular --func stencil | FileCheck %s
// CHECK: {{^}}not equivalent: @triangular
// CHECK: {{^}}not equivalent: @stencil

func.func @triangular(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sge, %arg2, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg3 = %c0) : (index) -> index {
      %3 = arith.addi %arg3, %c1 : index
      %4 = arith.addi %arg3, %c1 : index
      %5 = arith.cmpi sgt, %4, %c0 : index
      %6 = scf.if %5 -> (index) {
        %8 = scf.while (%arg4 = %c0) : (index) -> index {
          %9 = arith.addi %arg4, %c1 : index
          %10 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
          %11 = memref.load %arg1[%arg4] : memref<?xf32>
          %12 = arith.addf %10, %11 : f32
          memref.store %12, %arg0[%arg3, %arg4] : memref<?x?xf32>
          %13 = arith.cmpi slt, %9, %4 : index
          scf.condition(%13) %9 : index
        } do {
        ^bb0(%arg4: index):
          scf.yield %arg4 : index
        }
        scf.yield %8 : index
      } else {
        scf.yield %c0 : index
      }
      %7 = arith.cmpi slt, %3, %arg2 : index
      scf.condition(%7) %3 : index
    } do {
    ^bb0(%arg3: index):
      scf.yield %arg3 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
  }
  return
}

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg1, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg3 = %c0) : (index) -> index {
      %3 = arith.addi %arg3, %c1 : index
      %4 = arith.addi %arg2, %c-1 : index
      %5 = arith.cmpi sgt, %4, %c1 : index
      %6 = scf.if %5 -> (index) {
        %8 = scf.while (%arg4 = %c1) : (index) -> index {
          %9 = arith.addi %arg4, %c1 : index
          %10 = arith.addi %arg4, %c-1 : index
          %11 = memref.load %arg0[%10] : memref<?xf32>
          %12 = memref.load %arg0[%arg4] : memref<?xf32>
          %13 = arith.addi %arg4, %c1 : index
          %14 = memref.load %arg0[%13] : memref<?xf32>
          %15 = arith.addf %11, %12 : f32
          %16 = arith.addf %15, %14 : f32
          memref.store %16, %arg0[%arg4] : memref<?xf32>
          %17 = arith.cmpi sle, %9, %4 : index
          scf.condition(%17) %9 : index
        } do {
        ^bb0(%arg4: index):
          scf.yield %arg4 : index
        }
        scf.yield %8 : index
      } else {
        scf.yield %c1 : index
      }
      %7 = arith.cmpi slt, %3, %arg1 : index
      scf.condition(%7) %3 : index
    } do {
    ^bb0(%arg3: index):
      scf.yield %arg3 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
  }
  return
}
