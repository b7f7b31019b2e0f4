// Prediction of RNA folding by dynamic programming; the outermost loop counts down to 0 as n - 1 - t.
// Source: the definition of nussinov in PolyBench/C 4.2.1, of integers (32 bits for the bases, too).
// All sizes are arguments.

#mirrored = affine_map<(d)[s] -> (s - d)>
#has_left = affine_set<(d) : (d - 1 >= 0)>
#has_both = affine_set<(d0, d1) : (d0 - 1 >= 0, d1 - 1 >= 0)>
#apart = affine_set<(d0, d1)[s] : (d0 + d1 - s - 1 >= 0)>
#same = affine_map<(d) -> (d)>

func.func @nussinov(%n: index, %seq: memref<?xi32>, %table: memref<?x?xi32>) {
  affine.for %t = 0 to %n {
    affine.for %j = #mirrored(%t)[%n] to %n {
      affine.if #has_left(%j) {
        %table_at = affine.load %table[%n - %t - 1, %j] : memref<?x?xi32>
        %table_at_1 = affine.load %table[%n - %t - 1, %j - 1] : memref<?x?xi32>
        %larger = arith.maxsi %table_at, %table_at_1 : i32
        affine.store %larger, %table[%n - %t - 1, %j] : memref<?x?xi32>
      }
      affine.if #has_left(%t) {
        %table_at = affine.load %table[%n - %t - 1, %j] : memref<?x?xi32>
        %table_at_1 = affine.load %table[%n - %t, %j] : memref<?x?xi32>
        %larger = arith.maxsi %table_at, %table_at_1 : i32
        affine.store %larger, %table[%n - %t - 1, %j] : memref<?x?xi32>
      }
      affine.if #has_both(%j, %t) {
        affine.if #apart(%j, %t)[%n] {
          %table_at = affine.load %table[%n - %t - 1, %j] : memref<?x?xi32>
          %table_at_1 = affine.load %table[%n - %t, %j - 1] : memref<?x?xi32>
          %seq_at = affine.load %seq[%n - %t - 1] : memref<?xi32>
          %seq_at_1 = affine.load %seq[%j] : memref<?xi32>
          %sum = arith.addi %seq_at, %seq_at_1 : i32
          %three = arith.constant 3 : i32
          %same = arith.cmpi eq, %sum, %three : i32
          %score = arith.extui %same : i1 to i32
          %sum_1 = arith.addi %table_at_1, %score : i32
          %larger = arith.maxsi %table_at, %sum_1 : i32
          affine.store %larger, %table[%n - %t - 1, %j] : memref<?x?xi32>
        } else {
          %table_at = affine.load %table[%n - %t - 1, %j] : memref<?x?xi32>
          %table_at_1 = affine.load %table[%n - %t, %j - 1] : memref<?x?xi32>
          %larger = arith.maxsi %table_at, %table_at_1 : i32
          affine.store %larger, %table[%n - %t - 1, %j] : memref<?x?xi32>
        }
      }
      affine.for %k = #mirrored(%t)[%n] to #same(%j) {
        %table_at = affine.load %table[%n - %t - 1, %j] : memref<?x?xi32>
        %table_at_1 = affine.load %table[%n - %t - 1, %k] : memref<?x?xi32>
        %table_at_2 = affine.load %table[%k + 1, %j] : memref<?x?xi32>
        %sum = arith.addi %table_at_1, %table_at_2 : i32
        %larger = arith.maxsi %table_at, %sum : i32
        affine.store %larger, %table[%n - %t - 1, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
