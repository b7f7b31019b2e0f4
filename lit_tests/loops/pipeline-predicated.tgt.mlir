// mlir-opt pipeline.src.mlir --test-scf-pipelining=no-epilogue-peeling
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/pipeline.src.mlir %s --assume nonneg --func pipelined --func three --func carried --func dynamic --func step | FileCheck %s
// CHECK: {{^}}equivalent: @pipelined
// CHECK: {{^}}equivalent: @three
// CHECK: {{^}}equivalent: @carried
// CHECK: {{^}}equivalent: @dynamic
// CHECK: {{^}}equivalent: @step

module {
  func.func @pipelined(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %c9 = arith.constant 9 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %cst_0 = arith.constant 1.000000e+00 : f32
    %0 = memref.load %arg0[%c0] : memref<?xf32>
    %1 = scf.for %arg2 = %c0 to %c10 step %c1 iter_args(%arg3 = %0) -> (f32) {
      %2 = arith.cmpi slt, %arg2, %c9 : index
      %3 = arith.addf %arg3, %cst_0 : f32
      memref.store %3, %arg1[%arg2] : memref<?xf32>
      %4 = arith.addi %arg2, %c1 : index
      %5 = scf.if %2 -> (f32) {
        %6 = memref.load %arg0[%4] : memref<?xf32>
        scf.yield %6 : f32
      } else {
        scf.yield %cst : f32
      }
      scf.yield %5 : f32
    }
    return
  }
  func.func @three(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %cst_0 = arith.constant 1.000000e+00 : f32
    %0 = memref.load %arg0[%c0] : memref<?xf32>
    %1 = memref.load %arg0[%c1] : memref<?xf32>
    %2:2 = scf.for %arg2 = %c0 to %c10 step %c1 iter_args(%arg3 = %0, %arg4 = %1) -> (f32, f32) {
      %3 = arith.cmpi slt, %arg2, %c8 : index
      %4 = arith.addf %arg3, %cst_0 : f32
      memref.store %4, %arg1[%arg2] : memref<?xf32>
      %5 = arith.addi %arg2, %c2 : index
      %6 = scf.if %3 -> (f32) {
        %7 = memref.load %arg0[%5] : memref<?xf32>
        scf.yield %7 : f32
      } else {
        scf.yield %cst : f32
      }
      scf.yield %arg4, %6 : f32, f32
    }
    return
  }
  func.func @carried(%arg0: memref<?xf32>) -> f32 {
    %cst = arith.constant 0.000000e+00 : f32
    %c9 = arith.constant 9 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %cst_0 = arith.constant 1.000000e+00 : f32
    %0 = memref.load %arg0[%c0] : memref<?xf32>
    %1:2 = scf.for %arg1 = %c0 to %c10 step %c1 iter_args(%arg2 = %cst_0, %arg3 = %0) -> (f32, f32) {
      %2 = arith.cmpi slt, %arg1, %c9 : index
      %3 = arith.addf %arg3, %arg2 : f32
      %4 = arith.addi %arg1, %c1 : index
      %5 = scf.if %2 -> (f32) {
        %6 = memref.load %arg0[%4] : memref<?xf32>
        scf.yield %6 : f32
      } else {
        scf.yield %cst : f32
      }
      scf.yield %3, %5 : f32, f32
    }
    return %1#0 : f32
  }
  func.func @dynamic(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index, %arg4: index) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %c1 = arith.constant 1 : index
    %0 = arith.cmpi slt, %arg2, %arg3 : index
    %1 = scf.if %0 -> (f32) {
      %3 = memref.load %arg0[%arg2] : memref<?xf32>
      scf.yield %3 : f32
    } else {
      scf.yield %cst : f32
    }
    %2 = scf.for %arg5 = %arg2 to %arg3 step %c1 iter_args(%arg6 = %1) -> (f32) {
      %3 = arith.subi %arg3, %c1 : index
      %4 = arith.cmpi slt, %arg5, %3 : index
      %5 = arith.addf %arg6, %cst_0 : f32
      memref.store %5, %arg1[%arg5] : memref<?xf32>
      %6 = arith.addi %arg5, %c1 : index
      %7 = scf.if %4 -> (f32) {
        %8 = memref.load %arg0[%6] : memref<?xf32>
        scf.yield %8 : f32
      } else {
        scf.yield %cst : f32
      }
      scf.yield %7 : f32
    }
    return
  }
  func.func @step(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c11 = arith.constant 11 : index
    %cst_0 = arith.constant 1.000000e+00 : f32
    %0 = memref.load %arg0[%c0] : memref<?xf32>
    %1 = scf.for %arg2 = %c0 to %c11 step %c3 iter_args(%arg3 = %0) -> (f32) {
      %2 = arith.cmpi slt, %arg2, %c8 : index
      %3 = arith.addf %arg3, %cst_0 : f32
      memref.store %3, %arg1[%arg2] : memref<?xf32>
      %4 = arith.addi %arg2, %c3 : index
      %5 = scf.if %2 -> (f32) {
        %6 = memref.load %arg0[%4] : memref<?xf32>
        scf.yield %6 : f32
      } else {
        scf.yield %cst : f32
      }
      scf.yield %5 : f32
    }
    return
  }
}

