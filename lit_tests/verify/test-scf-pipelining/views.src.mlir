// Views that stage 0 makes and a later stage uses: the pipelined loop hands them on.
#row = strided<[1], offset: ?>
#tile = strided<[8, 1], offset: ?>
func.func @rows(%A: memref<64x8xf32>, %B: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %s = memref.subview %A[%i, 0] [1, 8] [1, 1] {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 1} : memref<64x8xf32> to memref<8xf32, #row>
    %d = memref.subview %B[%i, 0] [1, 8] [1, 1] {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 2} : memref<64x8xf32> to memref<8xf32, #row>
    memref.copy %s, %d {__test_pipelining_stage__ = 1, __test_pipelining_op_order__ = 0} : memref<8xf32, #row> to memref<8xf32, #row>
  } {__test_pipelining_loop__}
  return
}
func.func @double_buffer(%A: memref<64x8xf32>, %B: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %buffer = memref.alloc() : memref<2x8xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %p = arith.remsi %i, %c2 {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 1} : index
    %s = memref.subview %buffer[%p, 0] [1, 8] [1, 1] {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 2} : memref<2x8xf32> to memref<8xf32, #row>
    %d = memref.subview %A[%i, 0] [1, 8] [1, 1] {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 3} : memref<64x8xf32> to memref<8xf32, #row>
    memref.copy %d, %s {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 4} : memref<8xf32, #row> to memref<8xf32, #row>
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %s[%j] : memref<8xf32, #row>
      %w = arith.addf %v, %v : f32
      memref.store %w, %B[%i, %j] : memref<64x8xf32>
    } {__test_pipelining_stage__ = 1, __test_pipelining_op_order__ = 0}
  } {__test_pipelining_loop__}
  memref.dealloc %buffer : memref<2x8xf32>
  return
}
func.func @tiles(%A: memref<30x8xf32>, %B: memref<30x8xf32>) {
  %n = arith.constant 30 : index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %buffers = memref.alloc() : memref<3x4x8xf32>
  scf.for %i = %c0 to %n step %c4 {
    %t = arith.divui %i, %c4 {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 2} : index
    %p = arith.remui %t, %c3 {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 3} : index
    %left = arith.subi %n, %i {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 4} : index
    %size = arith.minsi %left, %c4 {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 5} : index
    %s = memref.subview %A[%i, 0] [%size, 8] [1, 1] {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 6} : memref<30x8xf32> to memref<?x8xf32, #tile>
    %b = memref.subview %buffers[%p, 0, 0] [1, 4, 8] [1, 1, 1] {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 7} : memref<3x4x8xf32> to memref<4x8xf32, #tile>
    %l = memref.subview %b[0, 0] [%size, 8] [1, 1] {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 8} : memref<4x8xf32, #tile> to memref<?x8xf32, #tile>
    memref.copy %s, %l {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 9} : memref<?x8xf32, #tile> to memref<?x8xf32, #tile>
    %d = memref.subview %B[%i, 0] [%size, 8] [1, 1] {__test_pipelining_stage__ = 1, __test_pipelining_op_order__ = 0} : memref<30x8xf32> to memref<?x8xf32, #tile>
    memref.copy %l, %d {__test_pipelining_stage__ = 1, __test_pipelining_op_order__ = 1} : memref<?x8xf32, #tile> to memref<?x8xf32, #tile>
  } {__test_pipelining_loop__}
  memref.dealloc %buffers : memref<3x4x8xf32>
  return
}
func.func @three(%A: memref<?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %s = memref.subview %A[%i] [1] [1] {__test_pipelining_stage__ = 0, __test_pipelining_op_order__ = 2} : memref<?xf32> to memref<1xf32, #row>
    %d = memref.subview %B[%i] [1] [1] {__test_pipelining_stage__ = 1, __test_pipelining_op_order__ = 1} : memref<?xf32> to memref<1xf32, #row>
    memref.copy %s, %d {__test_pipelining_stage__ = 2, __test_pipelining_op_order__ = 0} : memref<1xf32, #row> to memref<1xf32, #row>
  } {__test_pipelining_loop__}
  return
}
