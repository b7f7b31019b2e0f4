// A division by an argument stays: the loop may not run.
func.func @division(%A: memref<?xi32>, %x: i32, %y: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %q = arith.divsi %x, %y : i32
    %s = arith.addi %x, %y : i32
    %r = arith.addi %q, %s : i32
    memref.store %r, %A[%i] : memref<?xi32>
  }
  return
}
