func.func @scaled(%m: memref<?xi32>, %n: index, %c: index) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  scf.for %i = %i0 to %n step %i1 {
    %k = arith.muli %i, %c : index
    %v = arith.index_cast %k : index to i32
    memref.store %v, %m[%i0] : memref<?xi32>
  }
  return
}
