// mlir-opt tiles.src.mlir --test-multi-buffering=multiplier=3, then changed by hand
// Verdict: not equivalent
// Changed in @copied: what is read is always the first buffer; it was
//   %1 = memref.load %subview[%arg3] : memref<8xf32, strided<[1], offset: ?>>
// Changed in @tiles: there is one buffer less than tiles go to; it was
//   #map1 = affine_map<(d0)[s0] -> (((d0 - s0) floordiv 4) mod 3)>
// RUN: %exits 1 hecv check %S/tiles.src.mlir %s | FileCheck %s
// CHECK: {{^}}not equivalent: @copied
// CHECK: {{^}}not equivalent: @tiles

#map = affine_map<(d0) -> (d0 mod 3)>
#map1 = affine_map<(d0)[s0] -> (((d0 - s0) floordiv 4) mod 4)>
module {
  func.func @copied(%arg0: memref<32x8xf32>, %arg1: memref<32x8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %alloc = memref.alloc() : memref<3x8xf32>
    scf.for %arg2 = %c0 to %c32 step %c1 {
      %0 = affine.apply #map(%arg2)
      %subview = memref.subview %alloc[%0, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      %subview_0 = memref.subview %arg0[%arg2, 0] [1, 8] [1, 1] : memref<32x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      memref.copy %subview_0, %subview : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
      scf.for %arg3 = %c0 to %c8 step %c1 {
        %1 = memref.load %alloc[%c0, %arg3] : memref<3x8xf32>
        %2 = arith.mulf %1, %1 : f32
        memref.store %2, %arg1[%arg2, %arg3] : memref<32x8xf32>
      }
    }
    return
  }
  func.func @tiles(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %alloc = memref.alloc() : memref<3x4xf32>
    scf.for %arg4 = %arg2 to %arg3 step %c4 {
      %0 = affine.apply #map1(%arg4)[%arg2]
      %subview = memref.subview %alloc[%0, 0] [1, 4] [1, 1] : memref<3x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      %subview_0 = memref.subview %arg0[%arg4] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
      memref.copy %subview_0, %subview : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32, strided<[1], offset: ?>>
      scf.for %arg5 = %c0 to %c4 step %c1 {
        %1 = memref.load %subview[%arg5] : memref<4xf32, strided<[1], offset: ?>>
        %2 = arith.mulf %1, %1 : f32
        %3 = arith.addi %arg4, %arg5 : index
        memref.store %2, %arg1[%3] : memref<?xf32>
      }
    }
    return
  }
}

