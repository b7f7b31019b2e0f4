// Alternating direction implicit solver of the heat equation in two dimensions.
// Source: the definition of adi in PolyBench/C 4.2.1; coefficients that are equal there have one name.
// Sizes: TSTEPS = 7, N = 23.

func.func @adi(%u: memref<23x23xf64>, %v: memref<23x23xf64>, %p: memref<23x23xf64>, %q: memref<23x23xf64>) {
  %one = arith.constant 1.0 : f64
  %n_f = arith.constant 23.0 : f64
  %quotient = arith.divf %one, %n_f : f64
  %tsteps_f = arith.constant 7.0 : f64
  %quotient_1 = arith.divf %one, %tsteps_f : f64
  %two = arith.constant 2.0 : f64
  %product = arith.mulf %two, %quotient_1 : f64
  %product_1 = arith.mulf %quotient, %quotient : f64
  %quotient_2 = arith.divf %product, %product_1 : f64
  %product_2 = arith.mulf %one, %quotient_1 : f64
  %product_3 = arith.mulf %quotient, %quotient : f64
  %quotient_3 = arith.divf %product_2, %product_3 : f64
  %negated = arith.negf %quotient_2 : f64
  %quotient_4 = arith.divf %negated, %two : f64
  %sum = arith.addf %one, %quotient_2 : f64
  %negated_1 = arith.negf %quotient_3 : f64
  %quotient_5 = arith.divf %negated_1, %two : f64
  %sum_1 = arith.addf %one, %quotient_3 : f64
  affine.for %t = 0 to 7 {
    affine.for %i = 1 to 22 {
      affine.store %one, %v[0, %i] : memref<23x23xf64>
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %p[%i, 0] : memref<23x23xf64>
      %v_at = affine.load %v[0, %i] : memref<23x23xf64>
      affine.store %v_at, %q[%i, 0] : memref<23x23xf64>
      affine.for %j = 1 to 22 {
        %negated_2 = arith.negf %quotient_4 : f64
        %p_at = affine.load %p[%i, %j - 1] : memref<23x23xf64>
        %product_4 = arith.mulf %quotient_4, %p_at : f64
        %sum_2 = arith.addf %product_4, %sum : f64
        %quotient_6 = arith.divf %negated_2, %sum_2 : f64
        affine.store %quotient_6, %p[%i, %j] : memref<23x23xf64>
        %negated_3 = arith.negf %quotient_5 : f64
        %u_at = affine.load %u[%j, %i - 1] : memref<23x23xf64>
        %product_5 = arith.mulf %negated_3, %u_at : f64
        %product_6 = arith.mulf %two, %quotient_5 : f64
        %sum_3 = arith.addf %one, %product_6 : f64
        %u_at_1 = affine.load %u[%j, %i] : memref<23x23xf64>
        %product_7 = arith.mulf %sum_3, %u_at_1 : f64
        %sum_4 = arith.addf %product_5, %product_7 : f64
        %u_at_2 = affine.load %u[%j, %i + 1] : memref<23x23xf64>
        %product_8 = arith.mulf %quotient_5, %u_at_2 : f64
        %difference = arith.subf %sum_4, %product_8 : f64
        %q_at = affine.load %q[%i, %j - 1] : memref<23x23xf64>
        %product_9 = arith.mulf %quotient_4, %q_at : f64
        %difference_1 = arith.subf %difference, %product_9 : f64
        %p_at_1 = affine.load %p[%i, %j - 1] : memref<23x23xf64>
        %product_10 = arith.mulf %quotient_4, %p_at_1 : f64
        %sum_5 = arith.addf %product_10, %sum : f64
        %quotient_7 = arith.divf %difference_1, %sum_5 : f64
        affine.store %quotient_7, %q[%i, %j] : memref<23x23xf64>
      }
      affine.store %one, %v[22, %i] : memref<23x23xf64>
      affine.for %j = 1 to 22 {
        %p_at = affine.load %p[%i, 22 - %j] : memref<23x23xf64>
        %v_at_1 = affine.load %v[23 - %j, %i] : memref<23x23xf64>
        %product_4 = arith.mulf %p_at, %v_at_1 : f64
        %q_at = affine.load %q[%i, 22 - %j] : memref<23x23xf64>
        %sum_2 = arith.addf %product_4, %q_at : f64
        affine.store %sum_2, %v[22 - %j, %i] : memref<23x23xf64>
      }
    }
    affine.for %i = 1 to 22 {
      affine.store %one, %u[%i, 0] : memref<23x23xf64>
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %p[%i, 0] : memref<23x23xf64>
      %u_at = affine.load %u[%i, 0] : memref<23x23xf64>
      affine.store %u_at, %q[%i, 0] : memref<23x23xf64>
      affine.for %j = 1 to 22 {
        %negated_2 = arith.negf %quotient_5 : f64
        %p_at = affine.load %p[%i, %j - 1] : memref<23x23xf64>
        %product_4 = arith.mulf %quotient_5, %p_at : f64
        %sum_2 = arith.addf %product_4, %sum_1 : f64
        %quotient_6 = arith.divf %negated_2, %sum_2 : f64
        affine.store %quotient_6, %p[%i, %j] : memref<23x23xf64>
        %negated_3 = arith.negf %quotient_4 : f64
        %v_at = affine.load %v[%i - 1, %j] : memref<23x23xf64>
        %product_5 = arith.mulf %negated_3, %v_at : f64
        %product_6 = arith.mulf %two, %quotient_4 : f64
        %sum_3 = arith.addf %one, %product_6 : f64
        %v_at_1 = affine.load %v[%i, %j] : memref<23x23xf64>
        %product_7 = arith.mulf %sum_3, %v_at_1 : f64
        %sum_4 = arith.addf %product_5, %product_7 : f64
        %v_at_2 = affine.load %v[%i + 1, %j] : memref<23x23xf64>
        %product_8 = arith.mulf %quotient_4, %v_at_2 : f64
        %difference = arith.subf %sum_4, %product_8 : f64
        %q_at = affine.load %q[%i, %j - 1] : memref<23x23xf64>
        %product_9 = arith.mulf %quotient_5, %q_at : f64
        %difference_1 = arith.subf %difference, %product_9 : f64
        %p_at_1 = affine.load %p[%i, %j - 1] : memref<23x23xf64>
        %product_10 = arith.mulf %quotient_5, %p_at_1 : f64
        %sum_5 = arith.addf %product_10, %sum_1 : f64
        %quotient_7 = arith.divf %difference_1, %sum_5 : f64
        affine.store %quotient_7, %q[%i, %j] : memref<23x23xf64>
      }
      affine.store %one, %u[%i, 22] : memref<23x23xf64>
      affine.for %j = 1 to 22 {
        %p_at = affine.load %p[%i, 22 - %j] : memref<23x23xf64>
        %u_at_1 = affine.load %u[%i, 23 - %j] : memref<23x23xf64>
        %product_4 = arith.mulf %p_at, %u_at_1 : f64
        %q_at = affine.load %q[%i, 22 - %j] : memref<23x23xf64>
        %sum_2 = arith.addf %product_4, %q_at : f64
        affine.store %sum_2, %u[%i, 22 - %j] : memref<23x23xf64>
      }
    }
  }
  return
}
