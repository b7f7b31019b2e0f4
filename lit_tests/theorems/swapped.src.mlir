// Three statements in a loop, one at an index that memory holds.
func.func @f(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>, %D: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%i] : memref<?xf32>
    memref.store %a, %C[%b] : memref<?xf32>
    %d = arith.addf %a, %a : f32
    memref.store %d, %D[%i] : memref<?xf32>
    %e = arith.mulf %a, %a : f32
    affine.store %e, %D[%i + 1] : memref<?xf32>
  }
  return
}
