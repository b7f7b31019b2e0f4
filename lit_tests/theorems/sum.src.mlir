func.func @f(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to 101 iter_args(%s = %zero) -> f32 {
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%b] : memref<?xf32>
    %t = arith.addf %s, %a : f32
    %less = arith.cmpf olt, %a, %t : f32
    scf.if %less {
      memref.store %t, %C[%b] : memref<?xf32>
    }
    affine.yield %t : f32
  }
  return %r : f32
}
