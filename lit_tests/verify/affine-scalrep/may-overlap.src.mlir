// A value is forwarded to the load of its element: past no store to another argument, which may be of that element.
func.func @forward(%A: memref<8xf32>, %B: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<8xf32>
    %s = arith.addf %a, %x : f32
    affine.store %s, %A[%i] : memref<8xf32>
    %b = affine.load %A[%i] : memref<8xf32>
    %m = arith.mulf %b, %x : f32
    affine.store %m, %B[%i] : memref<8xf32>
  }
  return
}
func.func @past_another(%A: memref<8xf32>, %B: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 7 {
    affine.store %x, %A[%i] : memref<8xf32>
    %s = arith.addf %x, %x : f32
    affine.store %s, %B[%i + 1] : memref<8xf32>
    %b = affine.load %A[%i] : memref<8xf32>
    %m = arith.mulf %b, %x : f32
    affine.store %m, %B[%i] : memref<8xf32>
  }
  return
}
