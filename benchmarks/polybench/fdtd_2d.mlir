// Finite differences in time of an electric (ex, ey) and a magnetic (hz) field in two dimensions.
// Source: the definition of fdtd-2d in PolyBench/C 4.2.1.
// Sizes: TMAX = 13, NX = 21, NY = 27.

func.func @fdtd_2d(%ex: memref<21x27xf64>, %ey: memref<21x27xf64>, %hz: memref<21x27xf64>, %fict: memref<13xf64>) {
  affine.for %t = 0 to 13 {
    affine.for %j = 0 to 27 {
      %fict_at = affine.load %fict[%t] : memref<13xf64>
      affine.store %fict_at, %ey[0, %j] : memref<21x27xf64>
    }
    affine.for %i = 1 to 21 {
      affine.for %j = 0 to 27 {
        %ey_at = affine.load %ey[%i, %j] : memref<21x27xf64>
        %half = arith.constant 0.5 : f64
        %hz_at = affine.load %hz[%i, %j] : memref<21x27xf64>
        %hz_at_1 = affine.load %hz[%i - 1, %j] : memref<21x27xf64>
        %difference = arith.subf %hz_at, %hz_at_1 : f64
        %product = arith.mulf %half, %difference : f64
        %difference_1 = arith.subf %ey_at, %product : f64
        affine.store %difference_1, %ey[%i, %j] : memref<21x27xf64>
      }
    }
    affine.for %i = 0 to 21 {
      affine.for %j = 1 to 27 {
        %ex_at = affine.load %ex[%i, %j] : memref<21x27xf64>
        %half = arith.constant 0.5 : f64
        %hz_at = affine.load %hz[%i, %j] : memref<21x27xf64>
        %hz_at_1 = affine.load %hz[%i, %j - 1] : memref<21x27xf64>
        %difference = arith.subf %hz_at, %hz_at_1 : f64
        %product = arith.mulf %half, %difference : f64
        %difference_1 = arith.subf %ex_at, %product : f64
        affine.store %difference_1, %ex[%i, %j] : memref<21x27xf64>
      }
    }
    affine.for %i = 0 to 20 {
      affine.for %j = 0 to 26 {
        %hz_at = affine.load %hz[%i, %j] : memref<21x27xf64>
        %c = arith.constant 0.7 : f64
        %ex_at = affine.load %ex[%i, %j + 1] : memref<21x27xf64>
        %ex_at_1 = affine.load %ex[%i, %j] : memref<21x27xf64>
        %difference = arith.subf %ex_at, %ex_at_1 : f64
        %ey_at = affine.load %ey[%i + 1, %j] : memref<21x27xf64>
        %sum = arith.addf %difference, %ey_at : f64
        %ey_at_1 = affine.load %ey[%i, %j] : memref<21x27xf64>
        %difference_1 = arith.subf %sum, %ey_at_1 : f64
        %product = arith.mulf %c, %difference_1 : f64
        %difference_2 = arith.subf %hz_at, %product : f64
        affine.store %difference_2, %hz[%i, %j] : memref<21x27xf64>
      }
    }
  }
  return
}
