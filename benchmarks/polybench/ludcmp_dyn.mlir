// LU decomposition in place, then forward and backward substitution: A*x = b, with L*y = b.
// Source: the definition of ludcmp in PolyBench/C 4.2.1; the scalar w is a loop-carried value.
// All sizes are arguments.

#same = affine_map<(d) -> (d)>
#mirrored = affine_map<(d)[s] -> (s - d)>

func.func @ludcmp(%n: index, %A: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #same(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %w_out = affine.for %k = 0 to #same(%j) iter_args(%w_in = %a) -> (f64) {
        %a_1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_2 = affine.load %A[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %a_1, %a_2 : f64
        %difference = arith.subf %w_in, %product : f64
        affine.yield %difference : f64
      }
      %a_1 = affine.load %A[%j, %j] : memref<?x?xf64>
      %quotient = arith.divf %w_out, %a_1 : f64
      affine.store %quotient, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = #same(%i) to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %w_out = affine.for %k = 0 to #same(%i) iter_args(%w_in = %a) -> (f64) {
        %a_1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_2 = affine.load %A[%k, %j] : memref<?x?xf64>
        %product = arith.mulf %a_1, %a_2 : f64
        %difference = arith.subf %w_in, %product : f64
        affine.yield %difference : f64
      }
      affine.store %w_out, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %b_at = affine.load %b[%i] : memref<?xf64>
    %w_out = affine.for %j = 0 to #same(%i) iter_args(%w_in = %b_at) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %y_at = affine.load %y[%j] : memref<?xf64>
      %product = arith.mulf %a, %y_at : f64
      %difference = arith.subf %w_in, %product : f64
      affine.yield %difference : f64
    }
    affine.store %w_out, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %y_at = affine.load %y[%n - %i - 1] : memref<?xf64>
    %w_out = affine.for %j = #mirrored(%i)[%n] to %n iter_args(%w_in = %y_at) -> (f64) {
      %a = affine.load %A[%n - %i - 1, %j] : memref<?x?xf64>
      %x_at = affine.load %x[%j] : memref<?xf64>
      %product = arith.mulf %a, %x_at : f64
      %difference = arith.subf %w_in, %product : f64
      affine.yield %difference : f64
    }
    %a = affine.load %A[%n - %i - 1, %n - %i - 1] : memref<?x?xf64>
    %quotient = arith.divf %w_out, %a : f64
    affine.store %quotient, %x[%n - %i - 1] : memref<?xf64>
  }
  return
}
