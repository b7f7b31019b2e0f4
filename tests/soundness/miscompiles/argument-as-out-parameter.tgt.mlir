// mlir-opt 22 (buffer-results-to-out-params): what a function returns is its argument, which a caller goes on to write;
// the target writes a copy.
// expect: value
func.func private @increment(%arg0: memref<8xi32>, %arg1: index, %arg2: memref<8xi32>) {
  %c1_i32 = arith.constant 1 : i32
  %0 = memref.load %arg0[%arg1] : memref<8xi32>
  %1 = arith.addi %0, %c1_i32 : i32
  memref.store %1, %arg0[%arg1] : memref<8xi32>
  memref.copy %arg0, %arg2 : memref<8xi32> to memref<8xi32>
  return
}
func.func @twice(%arg0: memref<8xi32>, %arg1: index, %arg2: index) {
  %alloc = memref.alloc() : memref<8xi32>
  call @increment(%arg0, %arg1, %alloc) : (memref<8xi32>, index, memref<8xi32>) -> ()
  %alloc_0 = memref.alloc() : memref<8xi32>
  call @increment(%alloc, %arg2, %alloc_0) : (memref<8xi32>, index, memref<8xi32>) -> ()
  return
}
