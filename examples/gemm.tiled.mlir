// examples/gemm.mlir after mlir-opt (MLIR 22)
// --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=16},affine-loop-unroll{unroll-factor=8}))'
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 16, 60)>
#map2 = affine_map<(d0) -> (d0 + 16, 50)>
#map3 = affine_map<(d0) -> (d0 + 16, 70)>
module {
  func.func @gemm(%arg0: memref<60x70xf64>, %arg1: memref<70x50xf64>, %arg2: memref<60x50xf64>) {
    affine.for %arg3 = 0 to 60 step 16 {
      affine.for %arg4 = 0 to 50 step 16 {
        affine.for %arg5 = 0 to 70 step 16 {
          affine.for %arg6 = #map(%arg3) to min #map1(%arg3) {
            affine.for %arg7 = #map(%arg4) to min #map2(%arg4) {
              affine.for %arg8 = #map(%arg5) to min #map3(%arg5) {
                %0 = affine.load %arg0[%arg6, %arg8] : memref<60x70xf64>
                %1 = affine.load %arg1[%arg8, %arg7] : memref<70x50xf64>
                %2 = affine.load %arg2[%arg6, %arg7] : memref<60x50xf64>
                %3 = arith.mulf %0, %1 : f64
                %4 = arith.addf %2, %3 : f64
                affine.store %4, %arg2[%arg6, %arg7] : memref<60x50xf64>
              }
            }
          }
        }
      }
    }
    return
  }
}

