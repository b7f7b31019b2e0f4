// A write through one handle of a global moves past a read through another.
// expect: value
memref.global "private" @g : memref<4xi32> = dense<[1, 2, 3, 4]>
func.func @handles(%x: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %a = memref.get_global @g : memref<4xi32>
  %b = memref.get_global @g : memref<4xi32>
  %s = affine.for %i = 0 to 4 iter_args(%acc = %x) -> i32 {
    %v = affine.load %b[%i] : memref<4xi32>
    %n = arith.subi %acc, %v : i32
    affine.yield %n : i32
  }
  affine.for %i = 0 to 4 {
    affine.store %x, %a[%i] : memref<4xi32>
    affine.store %c7, %a[%i] : memref<4xi32>
  }
  return %s : i32
}
