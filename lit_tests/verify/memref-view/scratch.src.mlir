func.func @f(%a: memref<16xf32>, %b: memref<16xf32>) {
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %b[%i] : memref<16xf32>
  }
  return
}
