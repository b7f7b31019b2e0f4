func.func @sum(%A: memref<?xi32>, %n: index) -> i32 {
  %z = arith.constant 0 : i32
  %s = affine.for %j = 0 to %n iter_args(%a = %z) -> (i32) {
    %v = affine.load %A[%j] : memref<?xi32>
    %r = arith.addi %a, %v : i32
    affine.yield %r : i32
  }
  return %s : i32
}
func.func @product(%A: memref<?xi32>, %n: index) -> i32 {
  %z = arith.constant 1 : i32
  %s = affine.for %j = 0 to %n iter_args(%a = %z) -> (i32) {
    %v = affine.load %A[%j] : memref<?xi32>
    %r = arith.muli %a, %v : i32
    affine.yield %r : i32
  }
  return %s : i32
}
func.func @licensed(%A: memref<?xf32>, %n: index) -> f32 {
  %z = arith.constant 0.0 : f32
  %s = affine.for %j = 0 to %n iter_args(%a = %z) -> (f32) {
    %v = affine.load %A[%j] : memref<?xf32>
    %r = arith.addf %a, %v fastmath<reassoc> : f32
    affine.yield %r : f32
  }
  return %s : f32
}
