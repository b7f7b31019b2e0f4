// mlir-opt calls.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/calls.src.mlir %s --engine dataflow | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @between
// CHECK: {{^}}equivalent: @within
// SELF: {{^}}equivalent: @between

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0)[s0] -> (d0 + 4, s0)>
module {
  func.func private @tick()
  func.func private @show(memref<?x?xf32>, index)
  func.func @between(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xf32>
    call @tick() : () -> ()
    affine.for %arg2 = 0 to %dim step 4 {
      affine.for %arg3 = 0 to %dim_0 step 4 {
        affine.for %arg4 = #map(%arg2) to min #map1(%arg2)[%dim] {
          affine.for %arg5 = #map(%arg3) to min #map1(%arg3)[%dim_0] {
            %0 = affine.load %arg0[%arg4, %arg5] : memref<?x?xf32>
            %1 = arith.mulf %0, %0 : f32
            affine.store %1, %arg0[%arg4, %arg5] : memref<?x?xf32>
          }
        }
      }
    }
    call @show(%arg0, %dim) : (memref<?x?xf32>, index) -> ()
    return
  }
  func.func @within(%arg0: memref<16x16xf32>, %arg1: index) {
    affine.for %arg2 = 0 to %arg1 step 4 {
      affine.for %arg3 = #map(%arg2) to min #map1(%arg2)[%arg1] {
        affine.for %arg4 = 0 to 16 {
          affine.for %arg5 = 0 to 16 {
            %0 = affine.load %arg0[%arg4, %arg5] : memref<16x16xf32>
            %1 = arith.mulf %0, %0 : f32
            affine.store %1, %arg0[%arg4, %arg5] : memref<16x16xf32>
          }
        }
        func.call @tick() : () -> ()
      }
    }
    return
  }
}
