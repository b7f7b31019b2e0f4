func.func @clamp(%x: memref<100xi32>, %y: memref<100xi32>, %lo: i32) {
  affine.for %i = 0 to 100 {
    %0 = affine.load %x[%i] : memref<100xi32>
    %c = arith.cmpi slt, %0, %lo : i32
    %1 = arith.select %c, %lo, %0 : i32
    %2 = arith.muli %1, %1 : i32
    affine.store %2, %y[%i] : memref<100xi32>
  }
  return
}
