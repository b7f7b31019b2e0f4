// Rows are squared one after the other.
func.func @toggled(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %v = affine.load %A[%i, %j] : memref<?x8xf32>
      %w = arith.mulf %v, %v : f32
      affine.store %w, %R[%i, %j] : memref<?x8xf32>
    }
  }
  return
}
func.func @remainder(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %v = affine.load %A[%i, %j] : memref<?x8xf32>
      %w = arith.mulf %v, %v : f32
      affine.store %w, %R[%i, %j] : memref<?x8xf32>
    }
  }
  return
}
func.func @ring(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %v = affine.load %A[%i, %j] : memref<?x8xf32>
      %w = arith.mulf %v, %v : f32
      affine.store %w, %R[%i, %j] : memref<?x8xf32>
    }
  }
  return
}
func.func @drained(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %v = affine.load %A[%i, %j] : memref<?x8xf32>
      %w = arith.mulf %v, %v : f32
      affine.store %w, %R[%i, %j] : memref<?x8xf32>
    }
  }
  return
}
func.func @flagged(%A: memref<?x8xf32>, %R: memref<?x8xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %v = affine.load %A[%i, %j] : memref<?x8xf32>
      %w = arith.mulf %v, %v : f32
      affine.store %w, %R[%i, %j] : memref<?x8xf32>
    }
  }
  return
}
