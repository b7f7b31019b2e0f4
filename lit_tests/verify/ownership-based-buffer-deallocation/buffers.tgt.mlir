// mlir-opt buffers.src.mlir --ownership-based-buffer-deallocation
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/buffers.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @local
// CHECK: {{^}}equivalent: @chosen

module {
  func.func @local(%arg0: memref<16xf32>, %arg1: i1) -> memref<16xf32> {
    %false = arith.constant false
    %true = arith.constant true
    %false_0 = arith.constant false
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %alloc = memref.alloc() : memref<16xf32>
    scf.for %arg2 = %c0 to %c16 step %c1 {
      %false_5 = arith.constant false
      %true_6 = arith.constant true
      %false_7 = arith.constant false
      %false_8 = arith.constant false
      %alloc_9 = memref.alloc() : memref<4xf32>
      %1 = memref.load %arg0[%arg2] : memref<16xf32>
      scf.if %arg1 {
        %true_14 = arith.constant true
        %false_15 = arith.constant false
        %alloc_16 = memref.alloc() : memref<4xf32>
        memref.store %1, %alloc_16[%c0] : memref<4xf32>
        %3 = memref.load %alloc_16[%c0] : memref<4xf32>
        memref.store %3, %alloc_9[%c1] : memref<4xf32>
        %base_buffer_17, %offset_18, %sizes_19, %strides_20 = memref.extract_strided_metadata %alloc_16 : memref<4xf32> -> memref<f32>, index, index, index
        bufferization.dealloc (%base_buffer_17 : memref<f32>) if (%true_14)
      } else {
        %false_14 = arith.constant false
        memref.store %1, %alloc_9[%c1] : memref<4xf32>
      }
      %2 = memref.load %alloc_9[%c1] : memref<4xf32>
      memref.store %2, %alloc[%arg2] : memref<16xf32>
      %base_buffer_10, %offset_11, %sizes_12, %strides_13 = memref.extract_strided_metadata %alloc_9 : memref<4xf32> -> memref<f32>, index, index, index
      bufferization.dealloc (%base_buffer_10 : memref<f32>) if (%true_6)
    }
    %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %arg0 : memref<16xf32> -> memref<f32>, index, index, index
    %base_buffer_1, %offset_2, %sizes_3, %strides_4 = memref.extract_strided_metadata %alloc : memref<16xf32> -> memref<f32>, index, index, index
    %0 = bufferization.dealloc (%base_buffer, %base_buffer_1 : memref<f32>, memref<f32>) if (%false_0, %true) retain (%alloc : memref<16xf32>)
    return %alloc : memref<16xf32>
  }
  func.func @chosen(%arg0: memref<8xf32>, %arg1: i1) {
    %true = arith.constant true
    %true_0 = arith.constant true
    %false = arith.constant false
    %c0 = arith.constant 0 : index
    %alloc = memref.alloc() : memref<8xf32>
    %alloc_1 = memref.alloc() : memref<8xf32>
    memref.copy %arg0, %alloc : memref<8xf32> to memref<8xf32>
    memref.copy %arg0, %alloc_1 : memref<8xf32> to memref<8xf32>
    %0 = arith.select %arg1, %alloc, %alloc_1 : memref<8xf32>
    %1 = memref.load %0[%c0] : memref<8xf32>
    %2 = arith.addf %1, %1 : f32
    memref.store %2, %arg0[%c0] : memref<8xf32>
    %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %arg0 : memref<8xf32> -> memref<f32>, index, index, index
    %base_buffer_2, %offset_3, %sizes_4, %strides_5 = memref.extract_strided_metadata %alloc : memref<8xf32> -> memref<f32>, index, index, index
    %base_buffer_6, %offset_7, %sizes_8, %strides_9 = memref.extract_strided_metadata %alloc_1 : memref<8xf32> -> memref<f32>, index, index, index
    bufferization.dealloc (%base_buffer, %base_buffer_2, %base_buffer_6 : memref<f32>, memref<f32>, memref<f32>) if (%false, %true_0, %true)
    return
  }
}

