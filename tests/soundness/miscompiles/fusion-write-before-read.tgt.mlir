// llvm-project issue 212032: a fused consumer writes what later iterations of the producer read.
// expect: value
func.func @spread(%a: memref<4xi32>, %c: memref<4xi32>, %t: memref<4xi32>) {
  affine.for %p = 1 to 4 {
    %x = affine.load %a[1] : memref<4xi32>
    %y = affine.load %c[%p] : memref<4xi32>
    %z = arith.addi %x, %y : i32
    affine.store %z, %t[%p] : memref<4xi32>
    %w = affine.load %t[%p] : memref<4xi32>
    affine.store %w, %a[%p] : memref<4xi32>
  }
  return
}
