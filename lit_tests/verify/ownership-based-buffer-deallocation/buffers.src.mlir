// Buffers that nothing frees: in a loop, in a branch, one of two that is returned, one that is kept in a loop.
func.func @local(%A: memref<16xf32>, %c: i1) -> memref<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = memref.alloc() : memref<16xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    %t = memref.alloc() : memref<4xf32>
    %x = memref.load %A[%i] : memref<16xf32>
    scf.if %c {
      %u = memref.alloc() : memref<4xf32>
      memref.store %x, %u[%c0] : memref<4xf32>
      %y = memref.load %u[%c0] : memref<4xf32>
      memref.store %y, %t[%c1] : memref<4xf32>
    } else {
      memref.store %x, %t[%c1] : memref<4xf32>
    }
    %w = memref.load %t[%c1] : memref<4xf32>
    memref.store %w, %r[%i] : memref<16xf32>
  }
  return %r : memref<16xf32>
}
func.func @chosen(%A: memref<8xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  memref.copy %A, %m : memref<8xf32> to memref<8xf32>
  memref.copy %A, %n : memref<8xf32> to memref<8xf32>
  %r = arith.select %c, %m, %n : memref<8xf32>
  %x = memref.load %r[%c0] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  memref.store %y, %A[%c0] : memref<8xf32>
  return
}
