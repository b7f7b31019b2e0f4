// Two shapes of one buffer: what is written through the one is read through the other.
func.func @shapes(%A: memref<24xf32>, %B: memref<6x4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c24 = arith.constant 24 : index
  %e = memref.expand_shape %A [[0, 1]] output_shape [6, 4] : memref<24xf32> into memref<6x4xf32>
  %f = memref.collapse_shape %B [[0, 1]] : memref<6x4xf32> into memref<24xf32>
  scf.for %i = %c0 to %c6 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %b = memref.load %B[%i, %j] : memref<6x4xf32>
      %c = arith.addf %b, %x : f32
      memref.store %c, %e[%i, %j] : memref<6x4xf32>
    }
  }
  scf.for %i = %c0 to %c24 step %c1 {
    %a = memref.load %A[%i] : memref<24xf32>
    memref.store %a, %f[%i] : memref<24xf32>
  }
  return
}
