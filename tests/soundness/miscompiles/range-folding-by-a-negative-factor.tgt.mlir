// llvm-project PR 188995: a factor that may be 0 or negative is folded into bounds and step of a loop.
// expect: undefined-behavior
func.func @scaled(%m: memref<?xi32>, %n: index, %c: index) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %ub = arith.muli %n, %c : index
  %step = arith.muli %i1, %c : index
  scf.for %i = %i0 to %ub step %step {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %m[%i0] : memref<?xi32>
  }
  return
}
