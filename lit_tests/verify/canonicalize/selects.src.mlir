// Selections of truth values and of equal branches fold.
func.func @selects(%A: memref<?xi32>, %B: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %false = arith.constant false
  %n = memref.dim %A, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi32>
    %b = affine.load %B[%i] : memref<?xi1>
    %p = arith.select %b, %true, %false : i1
    %q = arith.xori %p, %true : i1
    %r = arith.select %q, %a, %a : i32
    %z = arith.constant 3 : i32
    %s = arith.select %q, %z, %r : i32
    affine.store %s, %A[%i] : memref<?xi32>
  }
  return
}
