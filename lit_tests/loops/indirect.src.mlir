// Subscripts that are read from memory.
func.func @gather(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %k = affine.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%k] : memref<?xf32>
    %c = affine.load %C[%i] : memref<?xf32>
    %s = arith.addf %a, %c : f32
    affine.store %s, %C[%i] : memref<?xf32>
  }
  return
}
func.func @scatter(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %k = affine.load %B[%i] : memref<?xindex>
    %a = affine.load %C[%i] : memref<?xf32>
    %c = memref.load %A[%k] : memref<?xf32>
    %s = arith.addf %a, %c : f32
    memref.store %s, %A[%k] : memref<?xf32>
  }
  return
}
func.func @both(%A: memref<?xf32>, %B: memref<?xindex>, %D: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %d = affine.load %D[%i] : memref<?xf32>
    %e = arith.mulf %d, %d : f32
    affine.store %e, %D[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %k = affine.load %B[%i] : memref<?xindex>
    %d = affine.load %D[%i] : memref<?xf32>
    memref.store %d, %A[%k] : memref<?xf32>
  }
  return
}
