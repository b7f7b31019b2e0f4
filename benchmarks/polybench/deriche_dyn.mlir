// Deriche's recursive edge filter, along the rows and then the columns, forward and backward.
// Source: the definition of deriche in PolyBench/C 4.2.1 (in f64); its scalars are loop-carried values.
// All sizes are arguments.

func.func @deriche(%w: index, %h: index,
                   %alpha: f64,
                   %imgIn: memref<?x?xf64>, %imgOut: memref<?x?xf64>, %y1: memref<?x?xf64>, %y2: memref<?x?xf64>) {
  %negated = arith.negf %alpha : f64
  %power = math.exp %negated : f64
  %one = arith.constant 1.0 : f64
  %difference = arith.subf %one, %power : f64
  %difference_1 = arith.subf %one, %power : f64
  %product = arith.mulf %difference, %difference_1 : f64
  %two = arith.constant 2.0 : f64
  %product_1 = arith.mulf %two, %alpha : f64
  %product_2 = arith.mulf %product_1, %power : f64
  %sum = arith.addf %one, %product_2 : f64
  %product_3 = arith.mulf %two, %alpha : f64
  %power_1 = math.exp %product_3 : f64
  %difference_2 = arith.subf %sum, %power_1 : f64
  %quotient = arith.divf %product, %difference_2 : f64
  %product_4 = arith.mulf %quotient, %power : f64
  %difference_3 = arith.subf %alpha, %one : f64
  %product_5 = arith.mulf %product_4, %difference_3 : f64
  %product_6 = arith.mulf %quotient, %power : f64
  %sum_1 = arith.addf %alpha, %one : f64
  %product_7 = arith.mulf %product_6, %sum_1 : f64
  %negated_1 = arith.negf %quotient : f64
  %minus_two = arith.constant -2.0 : f64
  %product_8 = arith.mulf %minus_two, %alpha : f64
  %power_2 = math.exp %product_8 : f64
  %product_9 = arith.mulf %negated_1, %power_2 : f64
  %negated_2 = arith.negf %alpha : f64
  %power_3 = math.powf %two, %negated_2 : f64
  %product_10 = arith.mulf %minus_two, %alpha : f64
  %power_4 = math.exp %product_10 : f64
  %negated_3 = arith.negf %power_4 : f64
  affine.for %i = 0 to %w {
    %zero = arith.constant 0.0 : f64
    %carried:3 = affine.for %j = 0 to %h iter_args(%xm1_in = %zero, %ym2_in = %zero, %ym1_in = %zero) -> (f64, f64, f64) {
      %imgin_at = affine.load %imgIn[%i, %j] : memref<?x?xf64>
      %product_11 = arith.mulf %quotient, %imgin_at : f64
      %product_12 = arith.mulf %product_5, %xm1_in : f64
      %sum_2 = arith.addf %product_11, %product_12 : f64
      %product_13 = arith.mulf %power_3, %ym1_in : f64
      %sum_3 = arith.addf %sum_2, %product_13 : f64
      %product_14 = arith.mulf %negated_3, %ym2_in : f64
      %sum_4 = arith.addf %sum_3, %product_14 : f64
      affine.store %sum_4, %y1[%i, %j] : memref<?x?xf64>
      affine.yield %imgin_at, %ym1_in, %sum_4 : f64, f64, f64
    }
  }
  affine.for %i = 0 to %w {
    %zero = arith.constant 0.0 : f64
    %carried:4 = affine.for %j = 0 to %h iter_args(%xp2_in = %zero, %xp1_in = %zero, %yp2_in = %zero, %yp1_in = %zero) -> (f64, f64, f64, f64) {
      %product_11 = arith.mulf %product_7, %xp1_in : f64
      %product_12 = arith.mulf %product_9, %xp2_in : f64
      %sum_2 = arith.addf %product_11, %product_12 : f64
      %product_13 = arith.mulf %power_3, %yp1_in : f64
      %sum_3 = arith.addf %sum_2, %product_13 : f64
      %product_14 = arith.mulf %negated_3, %yp2_in : f64
      %sum_4 = arith.addf %sum_3, %product_14 : f64
      affine.store %sum_4, %y2[%i, %h - %j - 1] : memref<?x?xf64>
      %imgin_at = affine.load %imgIn[%i, %h - %j - 1] : memref<?x?xf64>
      affine.yield %xp1_in, %imgin_at, %yp1_in, %sum_4 : f64, f64, f64, f64
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %y1_at = affine.load %y1[%i, %j] : memref<?x?xf64>
      %y2_at = affine.load %y2[%i, %j] : memref<?x?xf64>
      %sum_2 = arith.addf %y1_at, %y2_at : f64
      affine.store %sum_2, %imgOut[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %j = 0 to %h {
    %zero = arith.constant 0.0 : f64
    %carried:3 = affine.for %i = 0 to %w iter_args(%tm1_in = %zero, %ym2_in = %zero, %ym1_in = %zero) -> (f64, f64, f64) {
      %imgout_at = affine.load %imgOut[%i, %j] : memref<?x?xf64>
      %product_11 = arith.mulf %quotient, %imgout_at : f64
      %product_12 = arith.mulf %product_5, %tm1_in : f64
      %sum_2 = arith.addf %product_11, %product_12 : f64
      %product_13 = arith.mulf %power_3, %ym1_in : f64
      %sum_3 = arith.addf %sum_2, %product_13 : f64
      %product_14 = arith.mulf %negated_3, %ym2_in : f64
      %sum_4 = arith.addf %sum_3, %product_14 : f64
      affine.store %sum_4, %y1[%i, %j] : memref<?x?xf64>
      affine.yield %imgout_at, %ym1_in, %sum_4 : f64, f64, f64
    }
  }
  affine.for %j = 0 to %h {
    %zero = arith.constant 0.0 : f64
    %carried:4 = affine.for %i = 0 to %w iter_args(%tp2_in = %zero, %tp1_in = %zero, %yp2_in = %zero, %yp1_in = %zero) -> (f64, f64, f64, f64) {
      %product_11 = arith.mulf %product_7, %tp1_in : f64
      %product_12 = arith.mulf %product_9, %tp2_in : f64
      %sum_2 = arith.addf %product_11, %product_12 : f64
      %product_13 = arith.mulf %power_3, %yp1_in : f64
      %sum_3 = arith.addf %sum_2, %product_13 : f64
      %product_14 = arith.mulf %negated_3, %yp2_in : f64
      %sum_4 = arith.addf %sum_3, %product_14 : f64
      affine.store %sum_4, %y2[%w - %i - 1, %j] : memref<?x?xf64>
      %imgout_at = affine.load %imgOut[%w - %i - 1, %j] : memref<?x?xf64>
      affine.yield %tp1_in, %imgout_at, %yp1_in, %sum_4 : f64, f64, f64, f64
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %y1_at = affine.load %y1[%i, %j] : memref<?x?xf64>
      %y2_at = affine.load %y2[%i, %j] : memref<?x?xf64>
      %sum_2 = arith.addf %y1_at, %y2_at : f64
      affine.store %sum_2, %imgOut[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
