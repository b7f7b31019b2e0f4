func.func @tail(%m: memref<8xi32>, %v: vector<8xi32>) {
  %c4 = arith.constant 4 : index
  vector.transfer_write %v, %m[%c4] : vector<8xi32>, memref<8xi32>
  return
}
