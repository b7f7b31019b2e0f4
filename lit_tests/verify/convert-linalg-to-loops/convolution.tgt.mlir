// mlir-opt convolution.src.mlir --pass-pipeline='builtin.module(func.func(convert-linalg-to-loops),canonicalize)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/convolution.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/convolution.src.mlir %S/convolution.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @conv
// SELF: {{^}}equivalent: @conv

#map = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @conv(%arg0: memref<1x10x10x3xf32>, %arg1: memref<3x3x3x8xf32>, %arg2: memref<1x8x8x8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    scf.for %arg3 = %c0 to %c8 step %c1 {
      scf.for %arg4 = %c0 to %c8 step %c1 {
        scf.for %arg5 = %c0 to %c8 step %c1 {
          scf.for %arg6 = %c0 to %c3 step %c1 {
            scf.for %arg7 = %c0 to %c3 step %c1 {
              scf.for %arg8 = %c0 to %c3 step %c1 {
                %0 = affine.apply #map(%arg3, %arg6)
                %1 = affine.apply #map(%arg4, %arg7)
                %2 = memref.load %arg0[%c0, %0, %1, %arg8] : memref<1x10x10x3xf32>
                %3 = memref.load %arg1[%arg6, %arg7, %arg8, %arg5] : memref<3x3x3x8xf32>
                %4 = memref.load %arg2[%c0, %arg3, %arg4, %arg5] : memref<1x8x8x8xf32>
                %5 = arith.mulf %2, %3 : f32
                %6 = arith.addf %4, %5 : f32
                memref.store %6, %arg2[%c0, %arg3, %arg4, %arg5] : memref<1x8x8x8xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

