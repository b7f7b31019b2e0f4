// Loops that need not run to the end of a row.

func.func @update(%A: memref<?x?xf32>, %B: memref<?xf32>, %s: f32, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %B[%j] : memref<?xf32>
      %p = arith.mulf %b, %s : f32
      %c = arith.addf %a, %p : f32
      affine.store %c, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @triangle(%A: memref<16x16xi32>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %a = affine.load %A[%i, %j] : memref<16x16xi32>
      %b = arith.addi %a, %a : i32
      affine.store %b, %A[%i, %j] : memref<16x16xi32>
    }
  }
  return
}
