// What one branch alone uses moves into it.
func.func @sink(%A: memref<8xi32>, %B: memref<8xi32>) {
  %c0 = arith.constant 0 : i32
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<8xi32>
    %b = affine.load %B[%i] : memref<8xi32>
    %s = arith.addi %a, %b : i32
    %m = arith.muli %s, %s : i32
    %p = arith.cmpi sgt, %a, %c0 : i32
    scf.if %p {
      affine.store %m, %B[%i] : memref<8xi32>
    }
  }
  return
}
