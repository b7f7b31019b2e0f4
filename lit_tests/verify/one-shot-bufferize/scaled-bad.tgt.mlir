// mlir-opt scaled.src.mlir --one-shot-bufferize, then changed by hand
// Verdict: not equivalent
// Changed: line 30, the product is not used; it was
//     linalg.add ins(%alloc, %0 : memref<?x?xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>) outs(%alloc_5 : memref<?x?xf32>)
// Changed: line 31, no alias, so that MLIR runs it; it was
//     %7 = bufferization.to_tensor %alloc_5 : memref<?x?xf32> to tensor<?x?xf32>
// RUN: %exits 1 hecv check %S/scaled.src.mlir %s | FileCheck %s
// CHECK-DAG: {{^}}not equivalent: @scaled

module {
  func.func @scaled(%arg0: tensor<?x?xf32>, %arg1: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = bufferization.to_buffer %arg1 : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %1 = bufferization.to_buffer %arg0 : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %2 = bufferization.to_buffer %arg0 : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %3 = bufferization.to_buffer %arg1 : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %4 = bufferization.to_buffer %arg0 : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %5 = bufferization.to_buffer %arg0 : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %6 = bufferization.to_buffer %arg0 : tensor<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %c0 = arith.constant 0 : index
    %dim = memref.dim %6, %c0 : memref<?x?xf32, strided<[?, ?], offset: ?>>
    %c1 = arith.constant 1 : index
    %dim_0 = memref.dim %5, %c1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
    %alloc = memref.alloc(%dim, %dim_0) {alignment = 64 : i64} : memref<?x?xf32>
    linalg.mul ins(%4, %3 : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>) outs(%alloc : memref<?x?xf32>)
    %c0_1 = arith.constant 0 : index
    %dim_2 = memref.dim %2, %c0_1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
    %c1_3 = arith.constant 1 : index
    %dim_4 = memref.dim %1, %c1_3 : memref<?x?xf32, strided<[?, ?], offset: ?>>
    %alloc_5 = memref.alloc(%dim_2, %dim_4) {alignment = 64 : i64} : memref<?x?xf32>
    linalg.add ins(%0, %0 : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>) outs(%alloc_5 : memref<?x?xf32>)
    %7 = bufferization.to_tensor %alloc_5 restrict : memref<?x?xf32> to tensor<?x?xf32>
    return %7 : tensor<?x?xf32>
  }
}
