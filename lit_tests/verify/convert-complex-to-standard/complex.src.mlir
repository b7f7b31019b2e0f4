// Complex arithmetic on values, through a loop and a branch, and in memory.
func.func @values(%a: complex<f32>, %b: complex<f32>, %c: i1) -> (complex<f32>, f32, i1) {
  %p = complex.mul %a, %b : complex<f32>
  %q = complex.div %p, %a : complex<f32>
  %r = scf.if %c -> complex<f32> {
    %e = complex.exp %q : complex<f32>
    scf.yield %e : complex<f32>
  } else {
    %s = complex.sqrt %q : complex<f32>
    scf.yield %s : complex<f32>
  }
  %m = complex.abs %r : complex<f32>
  %n = complex.neq %r, %b : complex<f32>
  return %r, %m, %n : complex<f32>, f32, i1
}

func.func @scale(%A: memref<?x4xcomplex<f64>>, %z: complex<f64>) -> complex<f64> {
  %zero = complex.constant [0.0, 0.0] : complex<f64>
  %c0 = arith.constant 0 : index
  %rows = memref.dim %A, %c0 : memref<?x4xcomplex<f64>>
  %sum = affine.for %i = 0 to %rows iter_args(%s = %zero) -> complex<f64> {
    %row = affine.for %j = 0 to 4 iter_args(%t = %s) -> complex<f64> {
      %x = affine.load %A[%i, %j] : memref<?x4xcomplex<f64>>
      %y = complex.mul %x, %z : complex<f64>
      affine.store %y, %A[%i, %j] : memref<?x4xcomplex<f64>>
      %k = complex.conj %y : complex<f64>
      %u = complex.add %t, %k : complex<f64>
      affine.yield %u : complex<f64>
    }
    affine.yield %row : complex<f64>
  }
  return %sum : complex<f64>
}
