func.func @f(%A: memref<8xi8>, %B: memref<8xi32>) {
  affine.for %i = 0 to 8 {
    %b = affine.load %A[%i] : memref<8xi8>
    %x = arith.extui %b : i8 to i32
    %all = arith.constant 255 : i32
    %y = arith.andi %x, %all : i32
    %four = arith.constant 4 : i32
    %z = arith.shli %y, %four : i32
    %wide = arith.constant 4095 : i32
    %w = arith.minui %z, %wide : i32
    affine.store %w, %B[%i] : memref<8xi32>
  }
  return
}
