// Switch, loop and parallel loop in each other.
func.func @nest(%A: memref<8x8xf32>, %k: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c8) step (%c1, %c1) {
    scf.for %l = %c0 to %j step %c1 {
      %even = arith.cmpi slt, %l, %k : index
      scf.if %even {
        %v = memref.load %A[%i, %j] : memref<8x8xf32>
        %w = arith.mulf %v, %x : f32
        memref.store %w, %A[%i, %j] : memref<8x8xf32>
      }
    }
    scf.reduce
  }
  return
}
