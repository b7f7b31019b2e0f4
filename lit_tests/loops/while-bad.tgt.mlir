// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine),scf-for-to-while)', then changed by hand
// Verdict: not equivalent
// Changed: @trapezoid: one iteration more
// Changed: @carried: the outer loop hands on what it had
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func trapezoid --func carried | FileCheck %s
// CHECK: {{^}}not equivalent: @trapezoid
// CHECK: {{^}}not equivalent: @carried

func.func @trapezoid(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %c4 = arith.constant 4 : index
  %c-3 = arith.constant -3 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg4 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg4, %arg3 : index
    scf.condition(%1) %arg4 : index
  } do {
  ^bb0(%arg4: index):
    %1 = arith.addi %arg4, %c1 : index
    %2 = arith.addi %arg4, %c-3 : index
    %3 = arith.maxsi %2, %c0 : index
    %4 = arith.addi %arg4, %c4 : index
    %5 = arith.minsi %4, %arg3 : index
    %6 = scf.while (%arg5 = %3) : (index) -> index {
      %7 = arith.cmpi sle, %arg5, %5 : index
      scf.condition(%7) %arg5 : index
    } do {
    ^bb0(%arg5: index):
      %7 = arith.addi %arg5, %c1 : index
      %8 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
      %9 = memref.load %arg1[%arg5] : memref<?xf32>
      %10 = memref.load %arg2[%arg4] : memref<?xf32>
      %11 = arith.mulf %8, %9 : f32
      %12 = arith.addf %10, %11 : f32
      memref.store %12, %arg2[%arg4] : memref<?xf32>
      scf.yield %7 : index
    }
    scf.yield %1 : index
  }
  return
}

func.func @carried(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) -> f32 {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%arg4 = %c0, %arg5 = %cst) : (index, f32) -> (index, f32) {
    %1 = arith.cmpi slt, %arg4, %arg2 : index
    scf.condition(%1) %arg4, %arg5 : index, f32
  } do {
  ^bb0(%arg4: index, %arg5: f32):
    %1 = arith.addi %arg4, %c1 : index
    %2:2 = scf.while (%arg6 = %c0, %arg7 = %arg5) : (index, f32) -> (index, f32) {
      %3 = arith.cmpi slt, %arg6, %arg3 : index
      scf.condition(%3) %arg6, %arg7 : index, f32
    } do {
    ^bb0(%arg6: index, %arg7: f32):
      %3 = arith.addi %arg6, %c1 : index
      %4 = memref.load %arg0[%arg4, %arg6] : memref<?x?xf32>
      %5 = arith.addf %arg7, %4 : f32
      scf.yield %3, %5 : index, f32
    }
    memref.store %2#1, %arg1[%arg4] : memref<?xf32>
    scf.yield %1, %arg5 : index, f32
  }
  return %0#1 : f32
}
