// mlir-opt given-or-made.src.mlir --pass-pipeline='builtin.module(ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,bufferization-lower-deallocations,canonicalize)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/given-or-made.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @branch
// CHECK: {{^}}equivalent: @blocks
// CHECK: {{^}}equivalent: @sized
// CHECK: {{^}}equivalent: @copied

module {
  func.func @branch(%arg0: memref<8xf32>, %arg1: i1, %arg2: f32) -> f32 {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %0 = arith.xori %arg1, %true : i1
    %1 = scf.if %arg1 -> (memref<8xf32>) {
      scf.yield %arg0 : memref<8xf32>
    } else {
      %alloc = memref.alloc() : memref<8xf32>
      memref.store %arg2, %alloc[%c0] : memref<8xf32>
      scf.yield %alloc : memref<8xf32>
    }
    %2 = memref.load %1[%c0] : memref<8xf32>
    %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %1 : memref<8xf32> -> memref<f32>, index, index, index
    scf.if %0 {
      memref.dealloc %base_buffer : memref<f32>
    }
    return %2 : f32
  }
  func.func @blocks(%arg0: memref<8xf32>, %arg1: i1, %arg2: f32) -> f32 {
    %true = arith.constant true
    %false = arith.constant false
    %c0 = arith.constant 0 : index
    cf.cond_br %arg1, ^bb2(%arg0, %false : memref<8xf32>, i1), ^bb1
  ^bb1:  // pred: ^bb0
    %alloc = memref.alloc() : memref<8xf32>
    memref.store %arg2, %alloc[%c0] : memref<8xf32>
    cf.br ^bb2(%alloc, %true : memref<8xf32>, i1)
  ^bb2(%0: memref<8xf32>, %1: i1):  // 2 preds: ^bb0, ^bb1
    %2 = memref.load %0[%c0] : memref<8xf32>
    %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %0 : memref<8xf32> -> memref<f32>, index, index, index
    scf.if %1 {
      memref.dealloc %base_buffer : memref<f32>
    }
    return %2 : f32
  }
  func.func @sized(%arg0: memref<?xf32>, %arg1: i1, %arg2: f32) -> f32 {
    %true = arith.constant true
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xf32>
    %0 = arith.xori %arg1, %true : i1
    %1 = scf.if %arg1 -> (memref<?xf32>) {
      scf.yield %arg0 : memref<?xf32>
    } else {
      %alloc = memref.alloc(%dim) : memref<?xf32>
      linalg.fill ins(%arg2 : f32) outs(%alloc : memref<?xf32>)
      scf.yield %alloc : memref<?xf32>
    }
    %2 = memref.load %1[%c0] : memref<?xf32>
    %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %1 : memref<?xf32> -> memref<f32>, index, index, index
    scf.if %0 {
      memref.dealloc %base_buffer : memref<f32>
    }
    return %2 : f32
  }
  func.func @copied(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: i1) -> f32 {
    %c0 = arith.constant 0 : index
    %0 = scf.if %arg2 -> (memref<8xf32>) {
      %alloc = memref.alloc() : memref<8xf32>
      memref.copy %arg0, %alloc : memref<8xf32> to memref<8xf32>
      memref.copy %alloc, %arg1 : memref<8xf32> to memref<8xf32>
      scf.yield %alloc : memref<8xf32>
    } else {
      scf.yield %arg1 : memref<8xf32>
    }
    %1 = memref.load %arg1[%c0] : memref<8xf32>
    %base_buffer, %offset, %sizes, %strides = memref.extract_strided_metadata %0 : memref<8xf32> -> memref<f32>, index, index, index
    scf.if %arg2 {
      memref.dealloc %base_buffer : memref<f32>
    }
    return %1 : f32
  }
}

