// Finite differences in time of an electric (ex, ey) and a magnetic (hz) field in two dimensions.
// Source: the definition of fdtd-2d in PolyBench/C 4.2.1.
// All sizes are arguments.

#last = affine_map<()[s] -> (s - 1)>

func.func @fdtd_2d(%tmax: index, %nx: index, %ny: index,
                   %ex: memref<?x?xf64>, %ey: memref<?x?xf64>, %hz: memref<?x?xf64>, %fict: memref<?xf64>) {
  affine.for %t = 0 to %tmax {
    affine.for %j = 0 to %ny {
      %fict_at = affine.load %fict[%t] : memref<?xf64>
      affine.store %fict_at, %ey[0, %j] : memref<?x?xf64>
    }
    affine.for %i = 1 to %nx {
      affine.for %j = 0 to %ny {
        %ey_at = affine.load %ey[%i, %j] : memref<?x?xf64>
        %half = arith.constant 0.5 : f64
        %hz_at = affine.load %hz[%i, %j] : memref<?x?xf64>
        %hz_at_1 = affine.load %hz[%i - 1, %j] : memref<?x?xf64>
        %difference = arith.subf %hz_at, %hz_at_1 : f64
        %product = arith.mulf %half, %difference : f64
        %difference_1 = arith.subf %ey_at, %product : f64
        affine.store %difference_1, %ey[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to %nx {
      affine.for %j = 1 to %ny {
        %ex_at = affine.load %ex[%i, %j] : memref<?x?xf64>
        %half = arith.constant 0.5 : f64
        %hz_at = affine.load %hz[%i, %j] : memref<?x?xf64>
        %hz_at_1 = affine.load %hz[%i, %j - 1] : memref<?x?xf64>
        %difference = arith.subf %hz_at, %hz_at_1 : f64
        %product = arith.mulf %half, %difference : f64
        %difference_1 = arith.subf %ex_at, %product : f64
        affine.store %difference_1, %ex[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 0 to #last()[%nx] {
      affine.for %j = 0 to #last()[%ny] {
        %hz_at = affine.load %hz[%i, %j] : memref<?x?xf64>
        %c = arith.constant 0.7 : f64
        %ex_at = affine.load %ex[%i, %j + 1] : memref<?x?xf64>
        %ex_at_1 = affine.load %ex[%i, %j] : memref<?x?xf64>
        %difference = arith.subf %ex_at, %ex_at_1 : f64
        %ey_at = affine.load %ey[%i + 1, %j] : memref<?x?xf64>
        %sum = arith.addf %difference, %ey_at : f64
        %ey_at_1 = affine.load %ey[%i, %j] : memref<?x?xf64>
        %difference_1 = arith.subf %sum, %ey_at_1 : f64
        %product = arith.mulf %c, %difference_1 : f64
        %difference_2 = arith.subf %hz_at, %product : f64
        affine.store %difference_2, %hz[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
