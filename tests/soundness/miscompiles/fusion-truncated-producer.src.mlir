func.func @grid(%e: memref<5xi32>, %h: memref<5xi32>) {
  affine.for %j = 0 to 5 {
    %v = affine.load %h[%j] : memref<5xi32>
    %w = affine.load %e[%j] : memref<5xi32>
    %x = arith.subi %w, %v : i32
    affine.store %x, %e[%j] : memref<5xi32>
  }
  affine.for %j = 0 to 4 {
    %v = affine.load %e[%j] : memref<5xi32>
    affine.store %v, %h[%j] : memref<5xi32>
  }
  return
}
