// A flag is looked at where a branch on data is taken: what the inner branch yields lives in the outer one.

func.func @total(%A: memref<?xf64>, %n: index, %c: i1) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> f64 {
    %v = memref.load %A[%i] : memref<?xf64>
    %p = arith.cmpf ogt, %v, %z : f64
    %t = scf.if %p -> f64 {
      %q = scf.if %c -> f64 {
        %k = arith.addf %s, %v : f64
        scf.yield %k : f64
      } else {
        scf.yield %v : f64
      }
      scf.yield %q : f64
    } else {
      scf.yield %s : f64
    }
    scf.yield %t : f64
  }
  return %r : f64
}
