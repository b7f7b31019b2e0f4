func.func @spread(%m: memref<?xf32>, %v: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %m[5] : memref<?xf32>
    affine.store %a, %v[%i] : memref<?xf32>
  }
  return
}
