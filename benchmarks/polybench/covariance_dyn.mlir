// Covariance of the columns of data, which is centred in place.
// Source: the definition of covariance in PolyBench/C 4.2.1.
// All sizes are arguments.

#same = affine_map<(d) -> (d)>

func.func @covariance(%m: index, %n: index,
                      %float_n: f64,
                      %data: memref<?x?xf64>, %cov: memref<?x?xf64>, %mean: memref<?xf64>) {
  affine.for %j = 0 to %m {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %mean[%j] : memref<?xf64>
    affine.for %i = 0 to %n {
      %mean_at = affine.load %mean[%j] : memref<?xf64>
      %data_at = affine.load %data[%i, %j] : memref<?x?xf64>
      %sum = arith.addf %mean_at, %data_at : f64
      affine.store %sum, %mean[%j] : memref<?xf64>
    }
    %mean_at = affine.load %mean[%j] : memref<?xf64>
    %quotient = arith.divf %mean_at, %float_n : f64
    affine.store %quotient, %mean[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %data_at = affine.load %data[%i, %j] : memref<?x?xf64>
      %mean_at = affine.load %mean[%j] : memref<?xf64>
      %difference = arith.subf %data_at, %mean_at : f64
      affine.store %difference, %data[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = #same(%i) to %m {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %cov[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        %cov_at = affine.load %cov[%i, %j] : memref<?x?xf64>
        %data_at = affine.load %data[%k, %i] : memref<?x?xf64>
        %data_at_1 = affine.load %data[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %data_at, %data_at_1 : f64
        %sum = arith.addf %cov_at, %product : f64
        affine.store %sum, %cov[%i, %j] : memref<?x?xf64>
      }
      %cov_at = affine.load %cov[%i, %j] : memref<?x?xf64>
      %one = arith.constant 1.0 : f64
      %difference = arith.subf %float_n, %one : f64
      %quotient = arith.divf %cov_at, %difference : f64
      affine.store %quotient, %cov[%i, %j] : memref<?x?xf64>
      %cov_at_1 = affine.load %cov[%i, %j] : memref<?x?xf64>
      affine.store %cov_at_1, %cov[%j, %i] : memref<?x?xf64>
    }
  }
  return
}
