// mlir-opt pipeline.src.mlir --test-scf-pipelining, then changed by hand
// Verdict: not equivalent
// Changed: @pipelined: the epilogue stores what no op was applied to
// Changed: @three: the values of two stages are exchanged
// Changed: @carried: the epilogue starts with the first value
// Changed: @dynamic: an epilogue for a loop that does not run
// Changed: @step: the kernel ends too early
// RUN: %exits 1 hecv check %S/pipeline.src.mlir %s --func pipelined --func three --func carried --func dynamic --func step | FileCheck %s
// CHECK: {{^}}not equivalent: @pipelined
// CHECK: {{^}}not equivalent: @three
// CHECK: {{^}}not equivalent: @carried
// CHECK: {{^}}not equivalent: @dynamic
// CHECK: {{^}}not equivalent: @step

func.func @pipelined(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
  %c9 = arith.constant 9 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 1.000000e+00 : f32
  %0 = memref.load %arg0[%c0] : memref<?xf32>
  %1 = scf.for %arg2 = %c0 to %c9 step %c1 iter_args(%arg3 = %0) -> (f32) {
    %3 = arith.addf %arg3, %cst : f32
    memref.store %3, %arg1[%arg2] : memref<?xf32>
    %4 = arith.addi %arg2, %c1 : index
    %5 = memref.load %arg0[%4] : memref<?xf32>
    scf.yield %5 : f32
  }
  %2 = arith.addf %1, %cst : f32
  memref.store %1, %arg1[%c9] : memref<?xf32>
  return
}

func.func @three(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
  %c9 = arith.constant 9 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 1.000000e+00 : f32
  %0 = memref.load %arg0[%c0] : memref<?xf32>
  %1 = memref.load %arg0[%c1] : memref<?xf32>
  %2:2 = scf.for %arg2 = %c0 to %c8 step %c1 iter_args(%arg3 = %0, %arg4 = %1) -> (f32, f32) {
    %5 = arith.addf %arg3, %cst : f32
    memref.store %5, %arg1[%arg2] : memref<?xf32>
    %6 = arith.addi %arg2, %c2 : index
    %7 = memref.load %arg0[%6] : memref<?xf32>
    scf.yield %7, %arg4 : f32, f32
  }
  %3 = arith.addf %2#0, %cst : f32
  memref.store %3, %arg1[%c8] : memref<?xf32>
  %4 = arith.addf %2#1, %cst : f32
  memref.store %4, %arg1[%c9] : memref<?xf32>
  return
}

func.func @carried(%arg0: memref<?xf32>) -> f32 {
  %c9 = arith.constant 9 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 1.000000e+00 : f32
  %0 = memref.load %arg0[%c0] : memref<?xf32>
  %1:2 = scf.for %arg1 = %c0 to %c9 step %c1 iter_args(%arg2 = %cst, %arg3 = %0) -> (f32, f32) {
    %3 = arith.addf %arg3, %arg2 : f32
    %4 = arith.addi %arg1, %c1 : index
    %5 = memref.load %arg0[%4] : memref<?xf32>
    scf.yield %3, %5 : f32, f32
  }
  %2 = arith.addf %1#1, %cst : f32
  return %2 : f32
}

func.func @dynamic(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index, %arg4: index) {
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 1.000000e+00 : f32
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi slt, %arg2, %arg3 : index
  %1 = scf.if %0 -> (f32) {
    %12 = memref.load %arg0[%arg2] : memref<?xf32>
    scf.yield %12 : f32
  } else {
    scf.yield %cst : f32
  }
  %2 = arith.subi %arg3, %c1 : index
  %3 = scf.for %arg5 = %arg2 to %2 step %c1 iter_args(%arg6 = %1) -> (f32) {
    %12 = arith.addf %arg6, %cst_0 : f32
    memref.store %12, %arg1[%arg5] : memref<?xf32>
    %13 = arith.addi %arg5, %c1 : index
    %14 = memref.load %arg0[%13] : memref<?xf32>
    scf.yield %14 : f32
  }
  %4 = arith.subi %arg3, %arg2 : index
  %5 = arith.addi %4, %c1 : index
  %6 = arith.addi %5, %c-1 : index
  %7 = arith.subi %6, %c1 : index
  %8 = arith.maxsi %7, %c0 : index
  %9 = arith.addi %arg2, %8 : index
  %10 = arith.cmpi sge, %6, %c0 : index
  %11 = scf.if %10 -> (f32) {
    %12 = arith.addf %3, %cst_0 : f32
    scf.yield %12 : f32
  } else {
    scf.yield %cst : f32
  }
  scf.if %10 {
    memref.store %11, %arg1[%9] : memref<?xf32>
  } else {
  }
  return
}

func.func @step(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
  %c9 = arith.constant 9 : index
  %c8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %cst = arith.constant 1.000000e+00 : f32
  %0 = memref.load %arg0[%c0] : memref<?xf32>
  %1 = scf.for %arg2 = %c0 to %c3 step %c3 iter_args(%arg3 = %0) -> (f32) {
    %3 = arith.addf %arg3, %cst : f32
    memref.store %3, %arg1[%arg2] : memref<?xf32>
    %4 = arith.addi %arg2, %c3 : index
    %5 = memref.load %arg0[%4] : memref<?xf32>
    scf.yield %5 : f32
  }
  %2 = arith.addf %1, %cst : f32
  memref.store %2, %arg1[%c9] : memref<?xf32>
  return
}
