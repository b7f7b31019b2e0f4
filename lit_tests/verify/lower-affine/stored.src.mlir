// Index values that are stored, as indices and as integers: sums of any size, products and divisions of small numbers.
func.func @offsets(%A: memref<?xindex>, %B: memref<?xi32>, %n: index, %m: index) {
  affine.for %i = 0 to 50 {
    %v = affine.apply affine_map<(d0)[s0, s1] -> (d0 * 2 + s0 - s1 floordiv 3 - 3)>(%i)[%m, %n]
    %w = affine.apply affine_map<(d0) -> ((d0 + 7) mod 5 + (d0 ceildiv 3) * 4)>(%i)
    %u = arith.addi %v, %w : index
    affine.store %u, %A[%i] : memref<?xindex>
    %k = arith.index_cast %w : index to i32
    affine.store %k, %B[%i] : memref<?xi32>
  }
  return
}
