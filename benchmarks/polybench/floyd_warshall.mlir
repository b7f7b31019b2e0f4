// Lengths of the shortest paths between all pairs, in place.
// Source: the definition of floyd-warshall in PolyBench/C 4.2.1, of integers.
// Sizes: N = 31.

func.func @floyd_warshall(%path: memref<31x31xi32>) {
  affine.for %k = 0 to 31 {
    affine.for %i = 0 to 31 {
      affine.for %j = 0 to 31 {
        %path_at = affine.load %path[%i, %j] : memref<31x31xi32>
        %path_at_1 = affine.load %path[%i, %k] : memref<31x31xi32>
        %path_at_2 = affine.load %path[%k, %j] : memref<31x31xi32>
        %sum = arith.addi %path_at_1, %path_at_2 : i32
        %shorter = arith.cmpi slt, %path_at, %sum : i32
        %chosen = arith.select %shorter, %path_at, %sum : i32
        affine.store %chosen, %path[%i, %j] : memref<31x31xi32>
      }
    }
  }
  return
}
