// Correlation of the columns of data: corr[i][j], with the data centred and reduced in place.
// Source: the definition of correlation in PolyBench/C 4.2.1 (eps = 0.1).
// Sizes: M = 23, N = 29.

#next = affine_map<(d) -> (d + 1)>

func.func @correlation(%float_n: f64,
                       %data: memref<29x23xf64>, %corr: memref<23x23xf64>, %mean: memref<23xf64>,
                       %stddev: memref<23xf64>) {
  affine.for %j = 0 to 23 {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %mean[%j] : memref<23xf64>
    affine.for %i = 0 to 29 {
      %mean_at = affine.load %mean[%j] : memref<23xf64>
      %data_at = affine.load %data[%i, %j] : memref<29x23xf64>
      %sum = arith.addf %mean_at, %data_at : f64
      affine.store %sum, %mean[%j] : memref<23xf64>
    }
    %mean_at = affine.load %mean[%j] : memref<23xf64>
    %quotient = arith.divf %mean_at, %float_n : f64
    affine.store %quotient, %mean[%j] : memref<23xf64>
  }
  affine.for %j = 0 to 23 {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %stddev[%j] : memref<23xf64>
    affine.for %i = 0 to 29 {
      %stddev_at = affine.load %stddev[%j] : memref<23xf64>
      %data_at = affine.load %data[%i, %j] : memref<29x23xf64>
      %mean_at = affine.load %mean[%j] : memref<23xf64>
      %difference = arith.subf %data_at, %mean_at : f64
      %data_at_1 = affine.load %data[%i, %j] : memref<29x23xf64>
      %mean_at_1 = affine.load %mean[%j] : memref<23xf64>
      %difference_1 = arith.subf %data_at_1, %mean_at_1 : f64
      %product = arith.mulf %difference, %difference_1 : f64
      %sum = arith.addf %stddev_at, %product : f64
      affine.store %sum, %stddev[%j] : memref<23xf64>
    }
    %stddev_at = affine.load %stddev[%j] : memref<23xf64>
    %quotient = arith.divf %stddev_at, %float_n : f64
    affine.store %quotient, %stddev[%j] : memref<23xf64>
    %stddev_at_1 = affine.load %stddev[%j] : memref<23xf64>
    %root = math.sqrt %stddev_at_1 : f64
    affine.store %root, %stddev[%j] : memref<23xf64>
    %stddev_at_2 = affine.load %stddev[%j] : memref<23xf64>
    %eps = arith.constant 0.1 : f64
    %small = arith.cmpf ole, %stddev_at_2, %eps : f64
    %one = arith.constant 1.0 : f64
    %stddev_at_3 = affine.load %stddev[%j] : memref<23xf64>
    %chosen = arith.select %small, %one, %stddev_at_3 : f64
    affine.store %chosen, %stddev[%j] : memref<23xf64>
  }
  affine.for %i = 0 to 29 {
    affine.for %j = 0 to 23 {
      %data_at = affine.load %data[%i, %j] : memref<29x23xf64>
      %mean_at = affine.load %mean[%j] : memref<23xf64>
      %difference = arith.subf %data_at, %mean_at : f64
      affine.store %difference, %data[%i, %j] : memref<29x23xf64>
      %data_at_1 = affine.load %data[%i, %j] : memref<29x23xf64>
      %root = math.sqrt %float_n : f64
      %stddev_at = affine.load %stddev[%j] : memref<23xf64>
      %product = arith.mulf %root, %stddev_at : f64
      %quotient = arith.divf %data_at_1, %product : f64
      affine.store %quotient, %data[%i, %j] : memref<29x23xf64>
    }
  }
  affine.for %i = 0 to 22 {
    %one = arith.constant 1.0 : f64
    affine.store %one, %corr[%i, %i] : memref<23x23xf64>
    affine.for %j = #next(%i) to 23 {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %corr[%i, %j] : memref<23x23xf64>
      affine.for %k = 0 to 29 {
        %corr_at = affine.load %corr[%i, %j] : memref<23x23xf64>
        %data_at = affine.load %data[%k, %i] : memref<29x23xf64>
        %data_at_1 = affine.load %data[%k, %j] : memref<29x23xf64>
        %product = arith.mulf %data_at, %data_at_1 : f64
        %sum = arith.addf %corr_at, %product : f64
        affine.store %sum, %corr[%i, %j] : memref<23x23xf64>
      }
      %corr_at = affine.load %corr[%i, %j] : memref<23x23xf64>
      affine.store %corr_at, %corr[%j, %i] : memref<23x23xf64>
    }
  }
  %one = arith.constant 1.0 : f64
  affine.store %one, %corr[22, 22] : memref<23x23xf64>
  return
}
