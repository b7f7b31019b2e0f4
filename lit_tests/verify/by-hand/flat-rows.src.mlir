func.func @f(%A: memref<?x?xf32>, %O: memref<?x?xf32>, %n: index, %m: index) {
  %T = memref.alloc(%n, %m) : memref<?x?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %v = affine.load %A[%i, %j] : memref<?x?xf32>
      affine.store %v, %T[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %v = affine.load %T[%i, %j] : memref<?x?xf32>
      affine.store %v, %O[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %T : memref<?x?xf32>
  return
}
