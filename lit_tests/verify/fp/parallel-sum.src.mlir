// A parallel loop sums in any order: each order of a sequential loop is one of them.
func.func @norm(%A: memref<?x?xf32>, %n: index, %m: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) init (%zero) -> f32 {
    %a = memref.load %A[%i, %j] : memref<?x?xf32>
    %p = arith.mulf %a, %a : f32
    scf.reduce(%p : f32) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      scf.reduce.return %s : f32
    }
  }
  return %sum : f32
}
