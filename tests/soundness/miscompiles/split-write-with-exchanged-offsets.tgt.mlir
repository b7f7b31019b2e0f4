// Vector transfers split with `linalg-copy`: what is in the buffer is copied from where the write would be, to where the
// memref begins, in place of the other way round.
// expect: value
func.func @tail(%m: memref<8xi32>, %v: vector<8xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloca() : memref<8xi32>
  %end = affine.apply affine_map<(d0) -> (d0 + 8)>(%c4)
  %inside = arith.cmpi sle, %end, %c8 : index
  %w:2 = scf.if %inside -> (memref<8xi32>, index) {
    scf.yield %m, %c4 : memref<8xi32>, index
  } else {
    scf.yield %t, %c0 : memref<8xi32>, index
  }
  vector.transfer_write %v, %w#0[%w#1] {in_bounds = [true]} : vector<8xi32>, memref<8xi32>
  %true = arith.constant true
  %beyond = arith.xori %inside, %true : i1
  scf.if %beyond {
    %n = affine.min affine_map<(d0, d1, d2) -> (d0 - d1, d2)>(%c8, %c4, %c8)
    %from = memref.subview %t[%c4] [%n] [1] : memref<8xi32> to memref<?xi32, strided<[1], offset: ?>>
    %to = memref.subview %m[0] [%n] [1] : memref<8xi32> to memref<?xi32, strided<[1]>>
    memref.copy %from, %to : memref<?xi32, strided<[1], offset: ?>> to memref<?xi32, strided<[1]>>
  }
  return
}
