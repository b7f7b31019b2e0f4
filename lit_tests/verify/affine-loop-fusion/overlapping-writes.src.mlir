// The first loop spreads A[0] over the rest; the second one adds one to each element.
func.func @spread(%A: memref<11xi32>) {
  %one = arith.constant 1 : i32
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i] : memref<11xi32>
    affine.store %a, %A[%i + 1] : memref<11xi32>
  }
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i + 1] : memref<11xi32>
    %b = arith.addi %a, %one : i32
    affine.store %b, %A[%i + 1] : memref<11xi32>
  }
  return
}
