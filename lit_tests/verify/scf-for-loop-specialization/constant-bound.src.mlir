// A loop whose bound is a min gets a version for the constant.
func.func @special(%A: memref<64xi32>, %t: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %m = affine.min affine_map<(d0) -> (8, 64 - d0)>(%t)
  scf.for %j = %c0 to %m step %c1 {
    %k = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%t, %j)
    %a = memref.load %A[%k] : memref<64xi32>
    %b = arith.addi %a, %one : i32
    memref.store %b, %A[%k] : memref<64xi32>
  }
  return
}
