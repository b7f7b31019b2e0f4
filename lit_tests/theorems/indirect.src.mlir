func.func @f(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>) {
  affine.for %i = 3 to 100 step 2 {
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%i] : memref<?xf32>
    %q = memref.load %C[%b] : memref<?xf32>
    %t = arith.addf %q, %a : f32
    memref.store %t, %C[%b] : memref<?xf32>
  }
  return
}
