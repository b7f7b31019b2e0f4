func.func @rows(%m: memref<?x6x6xi32>, %out: memref<6x6xi32>, %p: index, %q: index, %x: i32) {
  affine.for %i = 1 to 5 {
    affine.for %j = 0 to 5 {
      %k = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%p, %q]
      affine.store %x, %m[%k, %i, %j] : memref<?x6x6xi32>
      %v = affine.load %m[%k, %i - 1, %j + 1] : memref<?x6x6xi32>
      affine.store %v, %out[%i, %j] : memref<6x6xi32>
    }
  }
  return
}
