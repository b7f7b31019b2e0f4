// mlir-opt may-overlap.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=4}))', then changed by hand
// Verdict: not equivalent
// Changed: line 35, an element that was loaded before a store to %arg1 is not loaded again; it was
//   %17 = arith.addf %15, %16 : f32
// RUN: %exits 1 hecv check --alias may %S/may-overlap.src.mlir %s | FileCheck %s
// CHECK: {{^}}not equivalent: @smooth
// CHECK: note: both were run on this input by the interpreter and by MLIR's JIT

#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @smooth(%arg0: memref<18xf32>, %arg1: memref<18xf32>, %arg2: f32) {
    affine.for %arg3 = 0 to 16 step 4 {
      %0 = affine.load %arg0[%arg3] : memref<18xf32>
      %1 = affine.load %arg0[%arg3 + 1] : memref<18xf32>
      %2 = arith.addf %0, %1 : f32
      %3 = arith.mulf %2, %arg2 : f32
      affine.store %3, %arg1[%arg3 + 1] : memref<18xf32>
      %4 = affine.apply #map(%arg3)
      %5 = affine.load %arg0[%4] : memref<18xf32>
      %6 = affine.load %arg0[%4 + 1] : memref<18xf32>
      %7 = arith.addf %5, %6 : f32
      %8 = arith.mulf %7, %arg2 : f32
      affine.store %8, %arg1[%4 + 1] : memref<18xf32>
      %9 = affine.apply #map1(%arg3)
      %10 = affine.load %arg0[%9] : memref<18xf32>
      %11 = affine.load %arg0[%9 + 1] : memref<18xf32>
      %12 = arith.addf %10, %11 : f32
      %13 = arith.mulf %12, %arg2 : f32
      affine.store %13, %arg1[%9 + 1] : memref<18xf32>
      %14 = affine.apply #map2(%arg3)
      %15 = affine.load %arg0[%14] : memref<18xf32>
      %16 = affine.load %arg0[%14 + 1] : memref<18xf32>
      %17 = arith.addf %11, %16 : f32
      %18 = arith.mulf %17, %arg2 : f32
      affine.store %18, %arg1[%14 + 1] : memref<18xf32>
    }
    return
  }
  func.func @matmul(%arg0: memref<8x8xf32>, %arg1: memref<8x8xf32>, %arg2: memref<8x8xf32>) {
    %c0 = arith.constant 0 : index
    affine.for %arg3 = 0 to 8 {
      affine.for %arg4 = 0 to 8 {
        %0 = affine.load %arg0[%arg3, %c0] : memref<8x8xf32>
        %1 = affine.load %arg1[%c0, %arg4] : memref<8x8xf32>
        %2 = affine.load %arg2[%arg3, %arg4] : memref<8x8xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg2[%arg3, %arg4] : memref<8x8xf32>
        %5 = affine.apply #map(%c0)
        %6 = affine.load %arg0[%arg3, %5] : memref<8x8xf32>
        %7 = affine.load %arg1[%5, %arg4] : memref<8x8xf32>
        %8 = affine.load %arg2[%arg3, %arg4] : memref<8x8xf32>
        %9 = arith.mulf %6, %7 : f32
        %10 = arith.addf %8, %9 : f32
        affine.store %10, %arg2[%arg3, %arg4] : memref<8x8xf32>
        %11 = affine.apply #map1(%c0)
        %12 = affine.load %arg0[%arg3, %11] : memref<8x8xf32>
        %13 = affine.load %arg1[%11, %arg4] : memref<8x8xf32>
        %14 = affine.load %arg2[%arg3, %arg4] : memref<8x8xf32>
        %15 = arith.mulf %12, %13 : f32
        %16 = arith.addf %14, %15 : f32
        affine.store %16, %arg2[%arg3, %arg4] : memref<8x8xf32>
        %17 = affine.apply #map2(%c0)
        %18 = affine.load %arg0[%arg3, %17] : memref<8x8xf32>
        %19 = affine.load %arg1[%17, %arg4] : memref<8x8xf32>
        %20 = affine.load %arg2[%arg3, %arg4] : memref<8x8xf32>
        %21 = arith.mulf %18, %19 : f32
        %22 = arith.addf %20, %21 : f32
        affine.store %22, %arg2[%arg3, %arg4] : memref<8x8xf32>
        affine.for %arg5 = 4 to 7 {
          %23 = affine.load %arg0[%arg3, %arg5] : memref<8x8xf32>
          %24 = affine.load %arg1[%arg5, %arg4] : memref<8x8xf32>
          %25 = affine.load %arg2[%arg3, %arg4] : memref<8x8xf32>
          %26 = arith.mulf %23, %24 : f32
          %27 = arith.addf %25, %26 : f32
          affine.store %27, %arg2[%arg3, %arg4] : memref<8x8xf32>
        }
      }
    }
    return
  }
}
