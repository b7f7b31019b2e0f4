// A sum in steps of two, and a triangle.
func.func @sum(%A: memref<?xf32>, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = scf.for %i = %c0 to %n step %c2 iter_args(%a = %x) -> f32 {
    %v = memref.load %A[%i] : memref<?xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      %v = memref.load %A[%j] : memref<?xf32>
      memref.store %v, %A[%i] : memref<?xf32>
    }
  }
  return %s : f32
}
