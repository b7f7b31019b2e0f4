func.func @forward(%a: memref<4xi32>, %b: memref<4xi32>, %x: i32, %y: i32) -> i32 {
  affine.store %x, %a[1] : memref<4xi32>
  affine.store %y, %b[1] : memref<4xi32>
  %v = affine.load %a[1] : memref<4xi32>
  return %v : i32
}
