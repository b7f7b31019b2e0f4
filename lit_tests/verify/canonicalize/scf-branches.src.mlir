// A branch on a constant, a loop of one iteration, a loop of none; the iter_arg that never changes leaves the loop.
func.func @branches(%A: memref<8xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %true = arith.constant true
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %x, %q = %x) -> (f32, f32) {
    %a = memref.load %A[%i] : memref<8xf32>
    %s = scf.if %true -> (f32) {
      %t = arith.addf %p, %a : f32
      scf.yield %t : f32
    } else {
      scf.yield %q : f32
    }
    scf.yield %s, %q : f32, f32
  }
  scf.for %i = %c0 to %c1 step %c1 {
    memref.store %r#1, %A[%i] : memref<8xf32>
  }
  scf.for %i = %c8 to %c1 step %c1 {
    memref.store %x, %A[%i] : memref<8xf32>
  }
  return %r#0 : f32
}
