// llvm-project issue 223232: the first iteration of a loop that may have none is peeled.
// expect: value
func.func @fill(%m: memref<?xi32>, %lb: index, %ub: index, %x: i32) {
  %c2 = arith.constant 2 : index
  memref.store %x, %m[%lb] : memref<?xi32>
  %next = arith.addi %lb, %c2 : index
  scf.for %i = %next to %ub step %c2 {
    memref.store %x, %m[%i] : memref<?xi32>
  }
  return
}
