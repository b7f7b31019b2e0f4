// Constants go through branches.
func.func @branches(%A: memref<8xi32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %p = arith.cmpi slt, %c1, %c2 : i32
  affine.for %i = 0 to 8 {
    %v = scf.if %p -> i32 {
      %x = arith.addi %c1, %c2 : i32
      scf.yield %x : i32
    } else {
      %a = affine.load %A[%i] : memref<8xi32>
      scf.yield %a : i32
    }
    affine.store %v, %A[%i] : memref<8xi32>
  }
  return
}
