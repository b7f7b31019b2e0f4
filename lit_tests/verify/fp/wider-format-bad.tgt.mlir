// wider-format.tgt.mlir, changed by hand
// Verdict: not equivalent
// Changed: the second copy divides by what the first does; it was
//   %11 = arith.divf %8, %10 : f32
// RUN: %exits 1 hecv check %S/wider-format.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @scaled
// SELF: {{^}}equivalent: @scaled
#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @scaled(%arg0: memref<?x16xbf16>, %arg1: memref<?x16xbf16>, %arg2: memref<16xbf16>, %arg3: index) {
    affine.for %arg4 = 0 to %arg3 {
      affine.for %arg5 = 0 to 16 step 4 {
        %0 = affine.load %arg0[%arg4, %arg5] : memref<?x16xbf16>
        %1 = arith.extf %0 fastmath<contract> : bf16 to f32
        %2 = affine.load %arg2[%arg5] : memref<16xbf16>
        %3 = arith.extf %2 fastmath<contract> : bf16 to f32
        %4 = arith.divf %1, %3 : f32
        %5 = arith.truncf %4 fastmath<contract> : f32 to bf16
        affine.store %5, %arg1[%arg4, %arg5] : memref<?x16xbf16>
        %6 = affine.apply #map(%arg5)
        %7 = affine.load %arg0[%arg4, %6] : memref<?x16xbf16>
        %8 = arith.extf %7 fastmath<contract> : bf16 to f32
        %9 = affine.load %arg2[%6] : memref<16xbf16>
        %10 = arith.extf %9 fastmath<contract> : bf16 to f32
        %11 = arith.divf %8, %3 : f32
        %12 = arith.truncf %11 fastmath<contract> : f32 to bf16
        affine.store %12, %arg1[%arg4, %6] : memref<?x16xbf16>
        %13 = affine.apply #map1(%arg5)
        %14 = affine.load %arg0[%arg4, %13] : memref<?x16xbf16>
        %15 = arith.extf %14 fastmath<contract> : bf16 to f32
        %16 = affine.load %arg2[%13] : memref<16xbf16>
        %17 = arith.extf %16 fastmath<contract> : bf16 to f32
        %18 = arith.divf %15, %17 : f32
        %19 = arith.truncf %18 fastmath<contract> : f32 to bf16
        affine.store %19, %arg1[%arg4, %13] : memref<?x16xbf16>
        %20 = affine.apply #map2(%arg5)
        %21 = affine.load %arg0[%arg4, %20] : memref<?x16xbf16>
        %22 = arith.extf %21 fastmath<contract> : bf16 to f32
        %23 = affine.load %arg2[%20] : memref<16xbf16>
        %24 = arith.extf %23 fastmath<contract> : bf16 to f32
        %25 = arith.divf %22, %24 : f32
        %26 = arith.truncf %25 fastmath<contract> : f32 to bf16
        affine.store %26, %arg1[%arg4, %20] : memref<?x16xbf16>
      }
    }
    return
  }
}

