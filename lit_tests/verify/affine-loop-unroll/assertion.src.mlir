// Each index is asserted to be in range, and each element not to be zero.
func.func @checked(%A: memref<10xi32>) {
  %zero = arith.constant 0 : i32
  %ten = arith.constant 10 : i32
  %c9 = arith.constant 9 : index
  affine.for %i = 0 to 10 {
    %inside = arith.cmpi sle, %i, %c9 : index
    cf.assert %inside, "an index is too large"
    %a = affine.load %A[%i] : memref<10xi32>
    %some = arith.cmpi ne, %a, %zero : i32
    cf.assert %some, "an element is zero"
    %b = arith.muli %a, %ten : i32
    affine.store %b, %A[%i] : memref<10xi32>
  }
  return
}
