// A loop whose iterations depend on each other through a view of the memref is vectorized.
// expect: value
func.func @alias(%m: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.reinterpret_cast %m to offset: [0], sizes: [6], strides: [1] : memref<8xi32> to memref<6xi32, strided<[1]>>
  %x = vector.load %m[%c0] : memref<8xi32>, vector<4xi32>
  %y = arith.addi %x, %x : vector<4xi32>
  vector.store %y, %v[%c1] : memref<6xi32, strided<[1]>>, vector<4xi32>
  return
}
