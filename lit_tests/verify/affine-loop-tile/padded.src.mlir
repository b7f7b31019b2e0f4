// A buffer with a border, of which the inside is returned, or both halves of it.

func.func @inside(%A: memref<?x?xf32>, %n: index, %m: index) -> memref<?x?xf32, strided<[?, 1], offset: ?>> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %rows = arith.addi %n, %c2 : index
  %columns = arith.addi %m, %c2 : index
  %padded = memref.alloc(%rows, %columns) : memref<?x?xf32>
  affine.for %i = 0 to %rows {
    affine.for %j = 0 to %columns {
      affine.store %zero, %padded[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %v = affine.load %A[%i, %j] : memref<?x?xf32>
      affine.store %v, %padded[%i + 1, %j + 1] : memref<?x?xf32>
    }
  }
  %inside = memref.subview %padded[%c1, %c1] [%n, %m] [1, 1]
      : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  return %inside : memref<?x?xf32, strided<[?, 1], offset: ?>>
}

func.func @halves(%x: f32) -> (memref<32xf32, strided<[1]>>, memref<32xf32, strided<[1], offset: ?>>) {
  %c32 = arith.constant 32 : index
  %all = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    affine.store %x, %all[%i] : memref<64xf32>
  }
  %low = memref.subview %all[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %high = memref.subview %all[%c32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
  return %low, %high : memref<32xf32, strided<[1]>>, memref<32xf32, strided<[1], offset: ?>>
}

func.func @window(%A: memref<?xf32, strided<[?], offset: ?>>, %x: f32, %n: index, %m: index)
    -> memref<?xf32, strided<[?], offset: ?>> {
  affine.for %i = 0 to %m {
    affine.store %x, %A[%i + symbol(%n)] : memref<?xf32, strided<[?], offset: ?>>
  }
  %part = memref.subview %A[%n] [%m] [1]
      : memref<?xf32, strided<[?], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>
  return %part : memref<?xf32, strided<[?], offset: ?>>
}
