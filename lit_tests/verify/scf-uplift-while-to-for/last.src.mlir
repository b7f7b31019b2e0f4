// The counter that the loop ends with is returned.
func.func @last(%A: memref<?xi32>, %n: index, %x: i32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    memref.store %x, %A[%i] : memref<?xi32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  return %r : index
}
