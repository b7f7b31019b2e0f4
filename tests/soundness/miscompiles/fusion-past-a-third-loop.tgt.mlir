// A loop is fused with one before a loop that stands between them and writes what it reads.
// expect: value
func.func @three(%a: memref<8xi32>, %b: memref<8xi32>, %c: memref<8xi32>) {
  %c3 = arith.constant 3 : i32
  affine.for %i = 0 to 8 {
    %v = affine.load %b[%i] : memref<8xi32>
    affine.store %v, %a[%i] : memref<8xi32>
    %w = affine.load %a[%i] : memref<8xi32>
    affine.store %w, %c[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xi32>
    %w = arith.muli %v, %c3 : i32
    affine.store %w, %a[%i] : memref<8xi32>
  }
  return
}
