// mlir-opt ping-pong.src.mlir --transform-interpreter --canonicalize --cse, by the script transform.loop.unroll of the outer
// loops by 2, and what it yields put right by hand: an unrolled loop has to yield what its last copy does (see -bad)
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/ping-pong.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/ping-pong.src.mlir %S/ping-pong.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK-DAG: {{^}}equivalent: @twice
// CHECK-DAG: {{^}}equivalent: @cycle
// SELF-DAG: {{^}}equivalent: @twice
// SELF-DAG: {{^}}equivalent: @cycle

#map = affine_map<()[s0] -> ((s0 floordiv 2) * 2)>
module {
  func.func @twice(%arg0: memref<16xf32>, %arg1: memref<16xf32>, %arg2: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg2, %c0 : memref<?xf32>
    %0:2 = affine.for %arg3 = 0 to #map()[%dim] step 2 iter_args(%arg4 = %arg0, %arg5 = %arg1) -> (memref<16xf32>, memref<16xf32>) {
      affine.for %arg6 = 1 to 15 {
        %2 = affine.load %arg4[%arg6 - 1] : memref<16xf32>
        %3 = affine.load %arg4[%arg6 + 1] : memref<16xf32>
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg5[%arg6] : memref<16xf32>
      }
      affine.for %arg6 = 1 to 15 {
        %2 = affine.load %arg5[%arg6 - 1] : memref<16xf32>
        %3 = affine.load %arg5[%arg6 + 1] : memref<16xf32>
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg4[%arg6] : memref<16xf32>
      }
      affine.yield %arg4, %arg5 : memref<16xf32>, memref<16xf32>
    }
    %1:2 = affine.for %arg3 = #map()[%dim] to %dim iter_args(%arg4 = %0#0, %arg5 = %0#1) -> (memref<16xf32>, memref<16xf32>) {
      affine.for %arg6 = 1 to 15 {
        %2 = affine.load %arg4[%arg6 - 1] : memref<16xf32>
        %3 = affine.load %arg4[%arg6 + 1] : memref<16xf32>
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg5[%arg6] : memref<16xf32>
      }
      affine.yield %arg5, %arg4 : memref<16xf32>, memref<16xf32>
    }
    affine.for %arg3 = 0 to 16 {
      %2 = affine.load %1#0[%arg3] : memref<16xf32>
      %3 = arith.negf %2 : f32
      affine.store %3, %1#1[%arg3] : memref<16xf32>
    }
    return
  }
  func.func @cycle(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>) {
    %0:3 = affine.for %arg3 = 2 to 24 step 6 iter_args(%arg4 = %arg0, %arg5 = %arg1, %arg6 = %arg2) -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
      affine.for %arg7 = 0 to 8 {
        %2 = affine.load %arg4[%arg7] : memref<?xf32>
        %3 = affine.load %arg5[%arg7] : memref<?xf32>
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg6[%arg7] : memref<?xf32>
      }
      affine.for %arg7 = 0 to 8 {
        %2 = affine.load %arg5[%arg7] : memref<?xf32>
        %3 = affine.load %arg6[%arg7] : memref<?xf32>
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg4[%arg7] : memref<?xf32>
      }
      affine.yield %arg6, %arg4, %arg5 : memref<?xf32>, memref<?xf32>, memref<?xf32>
    }
    %1 = affine.load %0#0[0] : memref<?xf32>
    affine.store %1, %0#2[1] : memref<?xf32>
    return
  }
}
