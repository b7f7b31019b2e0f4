func.func @parallel(%A: memref<40x50xf32>, %s: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 40 : index
  %columns = arith.constant 50 : index
  %first = arith.constant 0.0 : f32
  scf.for %i = %zero to %rows step %one {
    scf.for %j = %zero to %columns step %one {
      %a = memref.load %A[%i, %j] : memref<40x50xf32>
      %b = arith.mulf %a, %s : f32
      memref.store %b, %A[%i, %j] : memref<40x50xf32>
    }
  }
  %r = scf.for %i = %zero to %rows step %one iter_args(%m = %first) -> f32 {
    %a = memref.load %A[%i, %zero] : memref<40x50xf32>
    %n = arith.maximumf %m, %a : f32
    scf.yield %n : f32
  }
  return %r : f32
}
