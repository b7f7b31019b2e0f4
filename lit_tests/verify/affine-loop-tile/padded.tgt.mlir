// mlir-opt padded.src.mlir --affine-loop-tile='tile-size=8'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/padded.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/padded.src.mlir %S/padded.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK-DAG: {{^}}equivalent: @inside
// CHECK-DAG: {{^}}equivalent: @halves
// CHECK-DAG: {{^}}equivalent: @window
// SELF-DAG: {{^}}equivalent: @inside
// SELF-DAG: {{^}}equivalent: @halves
// SELF-DAG: {{^}}equivalent: @window

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0)[s0] -> (d0 + 8, s0)>
#map2 = affine_map<(d0) -> (d0 + 8)>
module {
  func.func @inside(%arg0: memref<?x?xf32>, %arg1: index, %arg2: index) -> memref<?x?xf32, strided<[?, 1], offset: ?>> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = arith.addi %arg1, %c2 : index
    %1 = arith.addi %arg2, %c2 : index
    %alloc = memref.alloc(%0, %1) : memref<?x?xf32>
    affine.for %arg3 = 0 to %0 step 8 {
      affine.for %arg4 = 0 to %1 step 8 {
        affine.for %arg5 = #map(%arg3) to min #map1(%arg3)[%0] {
          affine.for %arg6 = #map(%arg4) to min #map1(%arg4)[%1] {
            affine.store %cst, %alloc[%arg5, %arg6] : memref<?x?xf32>
          }
        }
      }
    }
    affine.for %arg3 = 0 to %arg1 step 8 {
      affine.for %arg4 = 0 to %arg2 step 8 {
        affine.for %arg5 = #map(%arg3) to min #map1(%arg3)[%arg1] {
          affine.for %arg6 = #map(%arg4) to min #map1(%arg4)[%arg2] {
            %2 = affine.load %arg0[%arg5, %arg6] : memref<?x?xf32>
            affine.store %2, %alloc[%arg5 + 1, %arg6 + 1] : memref<?x?xf32>
          }
        }
      }
    }
    %subview = memref.subview %alloc[%c1, %c1] [%arg1, %arg2] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    return %subview : memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  func.func @halves(%arg0: f32) -> (memref<32xf32, strided<[1]>>, memref<32xf32, strided<[1], offset: ?>>) {
    %c32 = arith.constant 32 : index
    %alloc = memref.alloc() : memref<64xf32>
    affine.for %arg1 = 0 to 64 step 8 {
      affine.for %arg2 = #map(%arg1) to #map2(%arg1) {
        affine.store %arg0, %alloc[%arg2] : memref<64xf32>
      }
    }
    %subview = memref.subview %alloc[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
    %subview_0 = memref.subview %alloc[%c32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
    return %subview, %subview_0 : memref<32xf32, strided<[1]>>, memref<32xf32, strided<[1], offset: ?>>
  }
  func.func @window(%arg0: memref<?xf32, strided<[?], offset: ?>>, %arg1: f32, %arg2: index, %arg3: index) -> memref<?xf32, strided<[?], offset: ?>> {
    affine.for %arg4 = 0 to %arg3 step 8 {
      affine.for %arg5 = #map(%arg4) to min #map1(%arg4)[%arg3] {
        affine.store %arg1, %arg0[%arg5 + symbol(%arg2)] : memref<?xf32, strided<[?], offset: ?>>
      }
    }
    %subview = memref.subview %arg0[%arg2] [%arg3] [1] : memref<?xf32, strided<[?], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>
    return %subview : memref<?xf32, strided<[?], offset: ?>>
  }
}
