// Pure operations leave scf loops.
func.func @invariant(%A: memref<?xf32>, %x: f32, %y: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      %s = arith.mulf %x, %y : f32
      %a = memref.load %A[%j] : memref<?xf32>
      %t = arith.addf %a, %s : f32
      memref.store %t, %A[%j] : memref<?xf32>
    }
  }
  return
}
