// llvm-project issue 218120: the last vector goes beyond the iterations of the loop, though not beyond the memref.
// expect: value
func.func @double(%m: memref<8xi32>) {
  %p = arith.constant 0 : i32
  affine.for %j = 0 to 6 step 4 {
    %v = vector.transfer_read %m[%j], %p : memref<8xi32>, vector<4xi32>
    %w = arith.addi %v, %v : vector<4xi32>
    vector.transfer_write %w, %m[%j] : vector<4xi32>, memref<8xi32>
  }
  return
}
