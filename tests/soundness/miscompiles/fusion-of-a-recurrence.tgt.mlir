// HEC's example of affine-loop-fusion: the second loop changes what the next iteration of the first one reads.
// expect: value
func.func @shift(%m: memref<12xi32>) {
  %c1 = arith.constant 1 : i32
  affine.for %i = 0 to 10 {
    %v = affine.load %m[%i] : memref<12xi32>
    affine.store %v, %m[%i + 1] : memref<12xi32>
    %x = affine.load %m[%i + 1] : memref<12xi32>
    %w = arith.addi %x, %c1 : i32
    affine.store %w, %m[%i + 1] : memref<12xi32>
  }
  return
}
