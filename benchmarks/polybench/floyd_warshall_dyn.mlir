// Lengths of the shortest paths between all pairs, in place.
// Source: the definition of floyd-warshall in PolyBench/C 4.2.1, of integers.
// All sizes are arguments.

func.func @floyd_warshall(%n: index, %path: memref<?x?xi32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %path_at = affine.load %path[%i, %j] : memref<?x?xi32>
        %path_at_1 = affine.load %path[%i, %k] : memref<?x?xi32>
        %path_at_2 = affine.load %path[%k, %j] : memref<?x?xi32>
        %sum = arith.addi %path_at_1, %path_at_2 : i32
        %shorter = arith.cmpi slt, %path_at, %sum : i32
        %chosen = arith.select %shorter, %path_at, %sum : i32
        affine.store %chosen, %path[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
