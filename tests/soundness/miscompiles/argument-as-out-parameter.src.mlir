func.func private @increment(%A: memref<8xi32>, %i: index) -> memref<8xi32> {
  %one = arith.constant 1 : i32
  %v = memref.load %A[%i] : memref<8xi32>
  %w = arith.addi %v, %one : i32
  memref.store %w, %A[%i] : memref<8xi32>
  return %A : memref<8xi32>
}

func.func @twice(%A: memref<8xi32>, %i: index, %j: index) {
  %B = call @increment(%A, %i) : (memref<8xi32>, index) -> memref<8xi32>
  %C = call @increment(%B, %j) : (memref<8xi32>, index) -> memref<8xi32>
  return
}
