// affine-scalrep forwards a store past one to another argument, which may be the same memory.
// expect: value
// switches: --alias may
func.func @forward(%a: memref<4xi32>, %b: memref<4xi32>, %x: i32, %y: i32) -> i32 {
  affine.store %x, %a[1] : memref<4xi32>
  affine.store %y, %b[1] : memref<4xi32>
  return %x : i32
}
