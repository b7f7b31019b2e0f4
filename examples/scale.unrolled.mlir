// examples/scale.mlir after mlir-opt (MLIR 22)
// --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))'
// Wrong where lo > 10: the clean-up loop starts below lo.
#map = affine_map<()[s0] -> (s0 + ((-s0) floordiv 2) * 2 + 10)>
#map1 = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @scale(%arg0: index, %arg1: memref<?xf32>) {
    affine.for %arg2 = %arg0 to #map()[%arg0] step 2 {
      %0 = affine.load %arg1[%arg2] : memref<?xf32>
      %1 = arith.addf %0, %0 : f32
      affine.store %1, %arg1[%arg2] : memref<?xf32>
      %2 = affine.apply #map1(%arg2)
      %3 = affine.load %arg1[%2] : memref<?xf32>
      %4 = arith.addf %3, %3 : f32
      affine.store %4, %arg1[%2] : memref<?xf32>
    }
    affine.for %arg2 = #map()[%arg0] to 10 {
      %0 = affine.load %arg1[%arg2] : memref<?xf32>
      %1 = arith.addf %0, %0 : f32
      affine.store %1, %arg1[%arg2] : memref<?xf32>
    }
    return
  }
}

