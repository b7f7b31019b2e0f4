// Constants meet, additions of zero and products with one go, a comparison with itself folds a select.
func.func @integers(%A: memref<?xi32>, %x: i32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %n = memref.dim %A, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi32>
    %b = arith.addi %a, %five : i32
    %c = arith.addi %b, %seven : i32
    %d = arith.muli %c, %one : i32
    %e = arith.cmpi sle, %d, %d : i32
    %f = arith.select %e, %d, %x : i32
    %g = arith.addi %zero, %f : i32
    affine.store %g, %A[%i] : memref<?xi32>
  }
  return
}
