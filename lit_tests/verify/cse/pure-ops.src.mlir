// One sum and one subscript are enough; the differences %d and %e are not the same.
func.func @pure(%A: memref<?x?xi32>, %x: i32, %y: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %n = memref.dim %A, %c1 : memref<?x?xi32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to min affine_map<(i)[n] -> (i + 1, n)>(%i)[%n] {
      %s = arith.addi %x, %y : i32
      %t = arith.addi %x, %y : i32
      %d = arith.subi %x, %y : i32
      %e = arith.subi %y, %x : i32
      %p = arith.muli %s, %d : i32
      %q = arith.muli %t, %e : i32
      %r = arith.xori %p, %q : i32
      affine.store %r, %A[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
