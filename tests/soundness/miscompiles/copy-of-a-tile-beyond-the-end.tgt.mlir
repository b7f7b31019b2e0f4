// The last tile is cut short, and what is copied for it is not: as many elements as for a whole tile, where some of them
// are no elements of the memref.
// expect: undefined-behavior
func.func @pairs(%m: memref<8xi32>) {
  affine.for %i = 0 to 7 step 4 {
    %t = memref.alloc() : memref<5xi32>
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 5)>(%i) {
      %v = affine.load %m[%j] : memref<8xi32>
      affine.store %v, %t[%j - %i] : memref<5xi32>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (d0 + 4, 7)>(%i) {
      %v = affine.load %t[-%i + %j + 1] : memref<5xi32>
      %w = affine.load %t[-%i + %j] : memref<5xi32>
      %y = arith.addi %v, %w : i32
      affine.store %y, %t[-%i + %j] : memref<5xi32>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 5)>(%i) {
      %v = affine.load %t[%j - %i] : memref<5xi32>
      affine.store %v, %m[%j] : memref<8xi32>
    }
    memref.dealloc %t : memref<5xi32>
  }
  return
}
