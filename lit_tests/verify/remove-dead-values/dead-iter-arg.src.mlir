// A carried value that nobody uses goes.
func.func @dead(%A: memref<16xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0 : i32
  %r:2 = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %z, %d = %z) -> (i32, i32) {
    %a = memref.load %A[%i] : memref<16xi32>
    %t = arith.addi %s, %a : i32
    %u = arith.muli %d, %a : i32
    scf.yield %t, %u : i32, i32
  }
  return %r#0 : i32
}
