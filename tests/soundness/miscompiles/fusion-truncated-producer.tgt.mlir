// A fused nest has the iterations of the consumer only; those of the producer beyond them are lost.
// expect: value
func.func @grid(%e: memref<5xi32>, %h: memref<5xi32>) {
  affine.for %j = 0 to 4 {
    %v = affine.load %h[%j] : memref<5xi32>
    %w = affine.load %e[%j] : memref<5xi32>
    %x = arith.subi %w, %v : i32
    affine.store %x, %e[%j] : memref<5xi32>
    affine.store %x, %h[%j] : memref<5xi32>
  }
  return
}
