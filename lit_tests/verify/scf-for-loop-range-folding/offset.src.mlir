// An offset of the induction variable moves into the bounds.
func.func @folding(%A: memref<?xi32>, %k: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %k : index
    %a = memref.load %A[%j] : memref<?xi32>
    %b = arith.addi %a, %one : i32
    memref.store %b, %A[%j] : memref<?xi32>
  }
  return
}
