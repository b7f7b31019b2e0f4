// mlir-opt views.src.mlir --test-scf-pipelining
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/views.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @rows
// CHECK: {{^}}equivalent: @double_buffer
// CHECK: {{^}}equivalent: @tiles
// CHECK: {{^}}equivalent: @three

module {
  func.func @rows(%arg0: memref<64x8xf32>, %arg1: memref<64x8xf32>) {
    %c63 = arith.constant 63 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %subview = memref.subview %arg0[%c0, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %subview_0 = memref.subview %arg1[%c0, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %0:2 = scf.for %arg2 = %c0 to %c63 step %c1 iter_args(%arg3 = %subview, %arg4 = %subview_0) -> (memref<8xf32, strided<[1], offset: ?>>, memref<8xf32, strided<[1], offset: ?>>) {
      memref.copy %arg3, %arg4 : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
      %1 = arith.addi %arg2, %c1 : index
      %subview_1 = memref.subview %arg0[%1, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      %2 = arith.addi %arg2, %c1 : index
      %subview_2 = memref.subview %arg1[%2, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      scf.yield %subview_1, %subview_2 : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32, strided<[1], offset: ?>>
    }
    memref.copy %0#0, %0#1 : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
    return
  }
  func.func @double_buffer(%arg0: memref<64x8xf32>, %arg1: memref<64x8xf32>) {
    %c63 = arith.constant 63 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %alloc = memref.alloc() : memref<2x8xf32>
    %subview = memref.subview %alloc[%c0, 0] [1, 8] [1, 1] : memref<2x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %subview_0 = memref.subview %arg0[%c0, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %subview_0, %subview : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
    %0 = scf.for %arg2 = %c0 to %c63 step %c1 iter_args(%arg3 = %subview) -> (memref<8xf32, strided<[1], offset: ?>>) {
      scf.for %arg4 = %c0 to %c8 step %c1 {
        %4 = memref.load %arg3[%arg4] : memref<8xf32, strided<[1], offset: ?>>
        %5 = arith.addf %4, %4 : f32
        memref.store %5, %arg1[%arg2, %arg4] : memref<64x8xf32>
      }
      %1 = arith.addi %arg2, %c1 : index
      %2 = arith.remsi %1, %c2 : index
      %subview_1 = memref.subview %alloc[%2, 0] [1, 8] [1, 1] : memref<2x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      %3 = arith.addi %arg2, %c1 : index
      %subview_2 = memref.subview %arg0[%3, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      memref.copy %subview_2, %subview_1 : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
      scf.yield %subview_1 : memref<8xf32, strided<[1], offset: ?>>
    }
    scf.for %arg2 = %c0 to %c8 step %c1 {
      %1 = memref.load %0[%arg2] : memref<8xf32, strided<[1], offset: ?>>
      %2 = arith.addf %1, %1 : f32
      memref.store %2, %arg1[%c63, %arg2] : memref<64x8xf32>
    }
    memref.dealloc %alloc : memref<2x8xf32>
    return
  }
  func.func @tiles(%arg0: memref<30x8xf32>, %arg1: memref<30x8xf32>) {
    %c28 = arith.constant 28 : index
    %c26 = arith.constant 26 : index
    %c30 = arith.constant 30 : index
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %alloc = memref.alloc() : memref<3x4x8xf32>
    %subview = memref.subview %arg0[%c0, 0] [%c4, 8] [1, 1] : memref<30x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    %subview_0 = memref.subview %alloc[%c0, 0, 0] [1, 4, 8] [1, 1, 1] : memref<3x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %subview_1 = memref.subview %subview_0[0, 0] [%c4, 8] [1, 1] : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %subview, %subview_1 : memref<?x8xf32, strided<[8, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    %0:2 = scf.for %arg2 = %c0 to %c26 step %c4 iter_args(%arg3 = %c4, %arg4 = %subview_1) -> (index, memref<?x8xf32, strided<[8, 1], offset: ?>>) {
      %subview_3 = memref.subview %arg1[%arg2, 0] [%arg3, 8] [1, 1] : memref<30x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
      memref.copy %arg4, %subview_3 : memref<?x8xf32, strided<[8, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1], offset: ?>>
      %1 = arith.addi %arg2, %c4 : index
      %2 = arith.divui %1, %c4 : index
      %3 = arith.remui %2, %c3 : index
      %4 = arith.addi %arg2, %c4 : index
      %5 = arith.subi %c30, %4 : index
      %6 = arith.minsi %5, %c4 : index
      %7 = arith.addi %arg2, %c4 : index
      %subview_4 = memref.subview %arg0[%7, 0] [%6, 8] [1, 1] : memref<30x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
      %subview_5 = memref.subview %alloc[%3, 0, 0] [1, 4, 8] [1, 1, 1] : memref<3x4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
      %subview_6 = memref.subview %subview_5[0, 0] [%6, 8] [1, 1] : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1], offset: ?>>
      memref.copy %subview_4, %subview_6 : memref<?x8xf32, strided<[8, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1], offset: ?>>
      scf.yield %6, %subview_6 : index, memref<?x8xf32, strided<[8, 1], offset: ?>>
    }
    %subview_2 = memref.subview %arg1[%c28, 0] [%0#0, 8] [1, 1] : memref<30x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %0#1, %subview_2 : memref<?x8xf32, strided<[8, 1], offset: ?>> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    memref.dealloc %alloc : memref<3x4x8xf32>
    return
  }
  func.func @three(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
    %c8 = arith.constant 8 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %subview = memref.subview %arg0[%c0] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
    %subview_0 = memref.subview %arg1[%c0] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
    %subview_1 = memref.subview %arg0[%c1] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
    %0:3 = scf.for %arg2 = %c0 to %c7 step %c1 iter_args(%arg3 = %subview, %arg4 = %subview_1, %arg5 = %subview_0) -> (memref<1xf32, strided<[1], offset: ?>>, memref<1xf32, strided<[1], offset: ?>>, memref<1xf32, strided<[1], offset: ?>>) {
      memref.copy %arg3, %arg5 : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32, strided<[1], offset: ?>>
      %1 = arith.addi %arg2, %c1 : index
      %subview_3 = memref.subview %arg1[%1] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
      %2 = arith.addi %arg2, %c2 : index
      %subview_4 = memref.subview %arg0[%2] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
      scf.yield %arg4, %subview_4, %subview_3 : memref<1xf32, strided<[1], offset: ?>>, memref<1xf32, strided<[1], offset: ?>>, memref<1xf32, strided<[1], offset: ?>>
    }
    memref.copy %0#0, %0#2 : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32, strided<[1], offset: ?>>
    %subview_2 = memref.subview %arg1[%c8] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
    memref.copy %0#1, %subview_2 : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32, strided<[1], offset: ?>>
    return
  }
}

