// Buffers behind views, of other shapes and in other orders.
func.func @flat(%A: memref<?x8xf32>, %B: memref<?x8xf32>, %n: index) {
  %t = memref.alloc() : memref<4x8xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<?x8xf32>
      affine.store %a, %t[%i mod 4, %j] : memref<4x8xf32>
      %b = affine.load %t[%i mod 4, %j] : memref<4x8xf32>
      affine.store %b, %B[%i, 7 - %j] : memref<?x8xf32>
    }
  }
  memref.dealloc %t : memref<4x8xf32>
  return
}
func.func @collapsed(%A: memref<6x8xf32>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<6x8xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %A[%i, %j] : memref<6x8xf32>
    }
  }
  return
}
func.func @windowed(%A: memref<?x?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
func.func @transposed(%A: memref<?x4xf32>, %B: memref<?x4xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[%i, %j] : memref<?x4xf32>
      affine.store %a, %B[%i, 3 - %j] : memref<?x4xf32>
    }
  }
  return
}
