// Verdict: refines
// Products by lanes of which a mask switches some off, written with arith: a lane that is off adds no product.

func.func @dot(%a: memref<?xi32>, %b: memref<?xi32>, %n: index) -> i32 {
  %zero = arith.constant 0 : i32
  %r = affine.for %i = 0 to %n iter_args(%sum = %zero) -> (i32) {
    %x = affine.load %a[%i] : memref<?xi32>
    %y = affine.load %b[%i] : memref<?xi32>
    %p = arith.muli %x, %y : i32
    %s = arith.addi %sum, %p : i32
    affine.yield %s : i32
  }
  return %r : i32
}

func.func @rows(%a: memref<?x?xi32>, %x: memref<?xi32>, %o: memref<?xi32>, %m: index, %n: index) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to %m {
    %r = affine.for %j = 0 to %n iter_args(%sum = %zero) -> (i32) {
      %u = affine.load %a[%i, %j] : memref<?x?xi32>
      %v = affine.load %x[%j] : memref<?xi32>
      %p = arith.muli %u, %v : i32
      %s = arith.addi %sum, %p : i32
      affine.yield %s : i32
    }
    affine.store %r, %o[%i] : memref<?xi32>
  }
  return
}
