// Prediction of RNA folding by dynamic programming; the outermost loop counts down to 0 as n - 1 - t.
// Source: the definition of nussinov in PolyBench/C 4.2.1, of integers (32 bits for the bases, too).
// Sizes: N = 37.

#mirrored = affine_map<(d) -> (37 - d)>
#has_left = affine_set<(d) : (d - 1 >= 0)>
#has_both = affine_set<(d0, d1) : (d0 - 1 >= 0, d1 - 1 >= 0)>
#apart = affine_set<(d0, d1) : (d0 + d1 - 38 >= 0)>
#same = affine_map<(d) -> (d)>

func.func @nussinov(%seq: memref<37xi32>, %table: memref<37x37xi32>) {
  affine.for %t = 0 to 37 {
    affine.for %j = #mirrored(%t) to 37 {
      affine.if #has_left(%j) {
        %table_at = affine.load %table[36 - %t, %j] : memref<37x37xi32>
        %table_at_1 = affine.load %table[36 - %t, %j - 1] : memref<37x37xi32>
        %larger = arith.maxsi %table_at, %table_at_1 : i32
        affine.store %larger, %table[36 - %t, %j] : memref<37x37xi32>
      }
      affine.if #has_left(%t) {
        %table_at = affine.load %table[36 - %t, %j] : memref<37x37xi32>
        %table_at_1 = affine.load %table[37 - %t, %j] : memref<37x37xi32>
        %larger = arith.maxsi %table_at, %table_at_1 : i32
        affine.store %larger, %table[36 - %t, %j] : memref<37x37xi32>
      }
      affine.if #has_both(%j, %t) {
        affine.if #apart(%j, %t) {
          %table_at = affine.load %table[36 - %t, %j] : memref<37x37xi32>
          %table_at_1 = affine.load %table[37 - %t, %j - 1] : memref<37x37xi32>
          %seq_at = affine.load %seq[36 - %t] : memref<37xi32>
          %seq_at_1 = affine.load %seq[%j] : memref<37xi32>
          %sum = arith.addi %seq_at, %seq_at_1 : i32
          %three = arith.constant 3 : i32
          %same = arith.cmpi eq, %sum, %three : i32
          %score = arith.extui %same : i1 to i32
          %sum_1 = arith.addi %table_at_1, %score : i32
          %larger = arith.maxsi %table_at, %sum_1 : i32
          affine.store %larger, %table[36 - %t, %j] : memref<37x37xi32>
        } else {
          %table_at = affine.load %table[36 - %t, %j] : memref<37x37xi32>
          %table_at_1 = affine.load %table[37 - %t, %j - 1] : memref<37x37xi32>
          %larger = arith.maxsi %table_at, %table_at_1 : i32
          affine.store %larger, %table[36 - %t, %j] : memref<37x37xi32>
        }
      }
      affine.for %k = #mirrored(%t) to #same(%j) {
        %table_at = affine.load %table[36 - %t, %j] : memref<37x37xi32>
        %table_at_1 = affine.load %table[36 - %t, %k] : memref<37x37xi32>
        %table_at_2 = affine.load %table[%k + 1, %j] : memref<37x37xi32>
        %sum = arith.addi %table_at_1, %table_at_2 : i32
        %larger = arith.maxsi %table_at, %sum : i32
        affine.store %larger, %table[36 - %t, %j] : memref<37x37xi32>
      }
    }
  }
  return
}
