// mlir-opt tile-buffers.src.mlir --pass-pipeline='builtin.module(func.func(affine-data-copy-generate{generate-dma=false fast-mem-space=0 skip-non-unit-stride-loops=true}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/tile-buffers.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/tile-buffers.src.mlir %S/tile-buffers.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @copies

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 16)>
module {
  func.func @copies(%arg0: memref<64xf32>, %arg1: memref<64xf32>) {
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %c16_0 = arith.constant 16 : index
    %c0_1 = arith.constant 0 : index
    %c16_2 = arith.constant 16 : index
    %c0_3 = arith.constant 0 : index
    %c0_4 = arith.constant 0 : index
    affine.for %arg2 = 0 to 64 step 16 {
      %0 = affine.apply #map(%arg2)
      %alloc = memref.alloc() : memref<16xf32>
      affine.for %arg3 = #map(%arg2) to #map1(%arg2) {
        %3 = affine.load %arg0[%arg3] : memref<64xf32>
        affine.store %3, %alloc[%arg3 - %arg2] : memref<16xf32>
      }
      %1 = affine.apply #map(%arg2)
      %alloc_5 = memref.alloc() : memref<16xf32>
      affine.for %arg3 = #map(%arg2) to #map1(%arg2) {
        %3 = affine.load %arg1[%arg3] : memref<64xf32>
        affine.store %3, %alloc_5[%arg3 - %arg2] : memref<16xf32>
      }
      affine.for %arg3 = #map(%arg2) to #map1(%arg2) {
        %3 = affine.load %alloc[-%arg2 + %arg3] : memref<16xf32>
        %4 = affine.load %alloc_5[-%arg2 + %arg3] : memref<16xf32>
        %5 = arith.mulf %3, %4 : f32
        affine.store %5, %alloc_5[-%arg2 + %arg3] : memref<16xf32>
      }
      %2 = affine.apply #map(%arg2)
      affine.for %arg3 = #map(%arg2) to #map1(%arg2) {
        %3 = affine.load %alloc_5[%arg3 - %arg2] : memref<16xf32>
        affine.store %3, %arg1[%arg3] : memref<64xf32>
      }
      memref.dealloc %alloc_5 : memref<16xf32>
      memref.dealloc %alloc : memref<16xf32>
    }
    return
  }
}
