// A while loop that counts down, and the value that it ends with as a subscript.
func.func @down(%A: memref<?xi32>, %n: index) -> (i32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %r:2 = scf.while (%i = %n, %s = %z) : (index, i32) -> (index, i32) {
    %more = arith.cmpi sgt, %i, %c0 : index
    scf.condition(%more) %i, %s : index, i32
  } do {
  ^bb0(%i: index, %s: i32):
    %j = arith.subi %i, %c1 : index
    %v = memref.load %A[%j] : memref<?xi32>
    %t = arith.xori %s, %v : i32
    scf.yield %j, %t : index, i32
  }
  %at = arith.maxsi %r#0, %c0 : index
  memref.store %r#1, %A[%at] : memref<?xi32>
  return %r#1, %r#0 : i32, index
}
