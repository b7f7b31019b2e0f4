// examples/gemm.mlir after mlir-opt (MLIR 22)
// --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=16},affine-loop-unroll{unroll-factor=8}))'
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 16)>
#map2 = affine_map<(d0) -> (d0 + 1)>
#map3 = affine_map<(d0) -> (d0 + 2)>
#map4 = affine_map<(d0) -> (d0 + 3)>
#map5 = affine_map<(d0) -> (d0 + 4)>
#map6 = affine_map<(d0) -> (d0 + 5)>
#map7 = affine_map<(d0) -> (d0 + 6)>
#map8 = affine_map<(d0) -> (d0 + 7)>
module {
  func.func @gemm(%arg0: memref<64x80xf64>, %arg1: memref<80x48xf64>, %arg2: memref<64x48xf64>) {
    affine.for %arg3 = 0 to 64 step 16 {
      affine.for %arg4 = 0 to 48 step 16 {
        affine.for %arg5 = 0 to 80 step 16 {
          affine.for %arg6 = #map(%arg3) to #map1(%arg3) {
            affine.for %arg7 = #map(%arg4) to #map1(%arg4) {
              affine.for %arg8 = #map(%arg5) to #map1(%arg5) step 8 {
                %0 = affine.load %arg0[%arg6, %arg8] : memref<64x80xf64>
                %1 = affine.load %arg1[%arg8, %arg7] : memref<80x48xf64>
                %2 = affine.load %arg2[%arg6, %arg7] : memref<64x48xf64>
                %3 = arith.mulf %0, %1 : f64
                %4 = arith.addf %2, %3 : f64
                affine.store %4, %arg2[%arg6, %arg7] : memref<64x48xf64>
                %5 = affine.apply #map2(%arg8)
                %6 = affine.load %arg0[%arg6, %5] : memref<64x80xf64>
                %7 = affine.load %arg1[%5, %arg7] : memref<80x48xf64>
                %8 = affine.load %arg2[%arg6, %arg7] : memref<64x48xf64>
                %9 = arith.mulf %6, %7 : f64
                %10 = arith.addf %8, %9 : f64
                affine.store %10, %arg2[%arg6, %arg7] : memref<64x48xf64>
                %11 = affine.apply #map3(%arg8)
                %12 = affine.load %arg0[%arg6, %11] : memref<64x80xf64>
                %13 = affine.load %arg1[%11, %arg7] : memref<80x48xf64>
                %14 = affine.load %arg2[%arg6, %arg7] : memref<64x48xf64>
                %15 = arith.mulf %12, %13 : f64
                %16 = arith.addf %14, %15 : f64
                affine.store %16, %arg2[%arg6, %arg7] : memref<64x48xf64>
                %17 = affine.apply #map4(%arg8)
                %18 = affine.load %arg0[%arg6, %17] : memref<64x80xf64>
                %19 = affine.load %arg1[%17, %arg7] : memref<80x48xf64>
                %20 = affine.load %arg2[%arg6, %arg7] : memref<64x48xf64>
                %21 = arith.mulf %18, %19 : f64
                %22 = arith.addf %20, %21 : f64
                affine.store %22, %arg2[%arg6, %arg7] : memref<64x48xf64>
                %23 = affine.apply #map5(%arg8)
                %24 = affine.load %arg0[%arg6, %23] : memref<64x80xf64>
                %25 = affine.load %arg1[%23, %arg7] : memref<80x48xf64>
                %26 = affine.load %arg2[%arg6, %arg7] : memref<64x48xf64>
                %27 = arith.mulf %24, %25 : f64
                %28 = arith.addf %26, %27 : f64
                affine.store %28, %arg2[%arg6, %arg7] : memref<64x48xf64>
                %29 = affine.apply #map6(%arg8)
                %30 = affine.load %arg0[%arg6, %29] : memref<64x80xf64>
                %31 = affine.load %arg1[%29, %arg7] : memref<80x48xf64>
                %32 = affine.load %arg2[%arg6, %arg7] : memref<64x48xf64>
                %33 = arith.mulf %30, %31 : f64
                %34 = arith.addf %32, %33 : f64
                affine.store %34, %arg2[%arg6, %arg7] : memref<64x48xf64>
                %35 = affine.apply #map7(%arg8)
                %36 = affine.load %arg0[%arg6, %35] : memref<64x80xf64>
                %37 = affine.load %arg1[%35, %arg7] : memref<80x48xf64>
                %38 = affine.load %arg2[%arg6, %arg7] : memref<64x48xf64>
                %39 = arith.mulf %36, %37 : f64
                %40 = arith.addf %38, %39 : f64
                affine.store %40, %arg2[%arg6, %arg7] : memref<64x48xf64>
                %41 = affine.apply #map8(%arg8)
                %42 = affine.load %arg0[%arg6, %41] : memref<64x80xf64>
                %43 = affine.load %arg1[%41, %arg7] : memref<80x48xf64>
                %44 = affine.load %arg2[%arg6, %arg7] : memref<64x48xf64>
                %45 = arith.mulf %42, %43 : f64
                %46 = arith.addf %44, %45 : f64
                affine.store %46, %arg2[%arg6, %arg7] : memref<64x48xf64>
              }
            }
          }
        }
      }
    }
    return
  }
}

