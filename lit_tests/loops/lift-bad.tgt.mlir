// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine),convert-scf-to-cf,canonicalize,lift-cf-to-scf)', then changed by hand
// Verdict: not equivalent
// Changed: @triangular: the inner loop counts with the outer variable
// Changed: @substitution: one iteration more
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func triangular --func substitution | FileCheck %s
// CHECK: {{^}}not equivalent: @triangular
// CHECK: {{^}}not equivalent: @substitution

func.func @triangular(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg3 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg3, %arg2 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %5 = arith.addi %arg3, %c1 : index
      %6 = scf.while (%arg4 = %c0) : (index) -> index {
        %8 = arith.cmpi slt, %arg4, %5 : index
        %9:3 = scf.if %8 -> (index, i32, i32) {
          %11 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
          %12 = memref.load %arg1[%arg4] : memref<?xf32>
          %13 = arith.addf %11, %12 : f32
          memref.store %13, %arg0[%arg3, %arg4] : memref<?x?xf32>
          %14 = arith.addi %arg3, %c1 : index
          scf.yield %14, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %10 = arith.trunci %9#2 : i32 to i1
        scf.condition(%10) %9#0 : index
      } do {
      ^bb0(%arg4: index):
        scf.yield %arg4 : index
      }
      %7 = arith.addi %arg3, %c1 : index
      scf.yield %7, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg3: index):
    scf.yield %arg3 : index
  }
  return
}

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg4 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg4, %arg3 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %5 = memref.load %arg1[%arg4] : memref<?xf32>
      memref.store %5, %arg2[%arg4] : memref<?xf32>
      %6 = scf.while (%arg5 = %c0) : (index) -> index {
        %11 = arith.cmpi sle, %arg5, %arg4 : index
        %12:3 = scf.if %11 -> (index, i32, i32) {
          %14 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
          %15 = memref.load %arg2[%arg5] : memref<?xf32>
          %16 = memref.load %arg2[%arg4] : memref<?xf32>
          %17 = arith.mulf %14, %15 : f32
          %18 = arith.subf %16, %17 : f32
          memref.store %18, %arg2[%arg4] : memref<?xf32>
          %19 = arith.addi %arg5, %c1 : index
          scf.yield %19, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %13 = arith.trunci %12#2 : i32 to i1
        scf.condition(%13) %12#0 : index
      } do {
      ^bb0(%arg5: index):
        scf.yield %arg5 : index
      }
      %7 = memref.load %arg0[%arg4, %arg4] : memref<?x?xf32>
      %8 = memref.load %arg2[%arg4] : memref<?xf32>
      %9 = arith.divf %8, %7 : f32
      memref.store %9, %arg2[%arg4] : memref<?xf32>
      %10 = arith.addi %arg4, %c1 : index
      scf.yield %10, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg4: index):
    scf.yield %arg4 : index
  }
  return
}
