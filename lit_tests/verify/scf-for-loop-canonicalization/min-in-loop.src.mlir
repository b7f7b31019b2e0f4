// A min that the bounds of the loop decide goes.
func.func @tiles(%A: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %c64 step %c8 {
    %m = affine.min affine_map<(d0) -> (8, 64 - d0)>(%i)
    scf.for %j = %c0 to %m step %c1 {
      %k = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)
      %a = memref.load %A[%k] : memref<64xi32>
      %b = arith.addi %a, %one : i32
      memref.store %b, %A[%k] : memref<64xi32>
    }
  }
  return
}
