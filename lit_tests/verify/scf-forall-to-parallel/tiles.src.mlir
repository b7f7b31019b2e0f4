// Tiles of three columns; each writes its own.
func.func @scale(%A: memref<8x12xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.forall (%i, %j) = (0, 0) to (8, 12) step (1, 3) {
    scf.for %k = %c0 to %c3 step %c1 {
      %at = arith.addi %j, %k : index
      %v = memref.load %A[%i, %at] : memref<8x12xf32>
      %w = arith.mulf %v, %x : f32
      memref.store %w, %A[%i, %at] : memref<8x12xf32>
    }
  }
  return
}
