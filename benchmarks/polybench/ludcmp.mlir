// LU decomposition in place, then forward and backward substitution: A*x = b, with L*y = b.
// Source: the definition of ludcmp in PolyBench/C 4.2.1; the scalar w is a loop-carried value.
// Sizes: N = 37.

#same = affine_map<(d) -> (d)>
#mirrored = affine_map<(d) -> (37 - d)>

func.func @ludcmp(%A: memref<37x37xf64>, %b: memref<37xf64>, %x: memref<37xf64>, %y: memref<37xf64>) {
  affine.for %i = 0 to 37 {
    affine.for %j = 0 to #same(%i) {
      %a = affine.load %A[%i, %j] : memref<37x37xf64>
      %w_out = affine.for %k = 0 to #same(%j) iter_args(%w_in = %a) -> (f64) {
        %a_1 = affine.load %A[%i, %k] : memref<37x37xf64>
        %a_2 = affine.load %A[%k, %j] : memref<37x37xf64>
        %product = arith.mulf %a_1, %a_2 : f64
        %difference = arith.subf %w_in, %product : f64
        affine.yield %difference : f64
      }
      %a_1 = affine.load %A[%j, %j] : memref<37x37xf64>
      %quotient = arith.divf %w_out, %a_1 : f64
      affine.store %quotient, %A[%i, %j] : memref<37x37xf64>
    }
    affine.for %j = #same(%i) to 37 {
      %a = affine.load %A[%i, %j] : memref<37x37xf64>
      %w_out = affine.for %k = 0 to #same(%i) iter_args(%w_in = %a) -> (f64) {
        %a_1 = affine.load %A[%i, %k] : memref<37x37xf64>
        %a_2 = affine.load %A[%k, %j] : memref<37x37xf64>
        %product = arith.mulf %a_1, %a_2 : f64
        %difference = arith.subf %w_in, %product : f64
        affine.yield %difference : f64
      }
      affine.store %w_out, %A[%i, %j] : memref<37x37xf64>
    }
  }
  affine.for %i = 0 to 37 {
    %b_at = affine.load %b[%i] : memref<37xf64>
    %w_out = affine.for %j = 0 to #same(%i) iter_args(%w_in = %b_at) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<37x37xf64>
      %y_at = affine.load %y[%j] : memref<37xf64>
      %product = arith.mulf %a, %y_at : f64
      %difference = arith.subf %w_in, %product : f64
      affine.yield %difference : f64
    }
    affine.store %w_out, %y[%i] : memref<37xf64>
  }
  affine.for %i = 0 to 37 {
    %y_at = affine.load %y[36 - %i] : memref<37xf64>
    %w_out = affine.for %j = #mirrored(%i) to 37 iter_args(%w_in = %y_at) -> (f64) {
      %a = affine.load %A[36 - %i, %j] : memref<37x37xf64>
      %x_at = affine.load %x[%j] : memref<37xf64>
      %product = arith.mulf %a, %x_at : f64
      %difference = arith.subf %w_in, %product : f64
      affine.yield %difference : f64
    }
    %a = affine.load %A[36 - %i, 36 - %i] : memref<37x37xf64>
    %quotient = arith.divf %w_out, %a : f64
    affine.store %quotient, %x[36 - %i] : memref<37xf64>
  }
  return
}
