// mlir-opt scan.src.mlir --test-vector-scan-lowering, then changed by hand
// Verdict: not equivalent
// Changed: line 19, another row; it was
//     %3 = vector.extract_strided_slice %0 {offsets = [1, 0], sizes = [1, 8], strides = [1, 1]} : vector<4x8xf32> to vector<1x8xf32>
// Changed: line 39, another column; it was
//     %3 = vector.extract_strided_slice %0 {offsets = [0, 1], sizes = [4, 1], strides = [1, 1]} : vector<4x8xf32> to vector<4x1xf32>
// RUN: %exits 1 hecv check %S/scan.src.mlir %s | FileCheck %s
// CHECK-DAG: {{^}}not equivalent: @inclusive
// CHECK-DAG: {{^}}not equivalent: @exclusive

module {
  func.func @inclusive(%arg0: memref<4x8xf32>, %arg1: memref<4x8xf32>) {
    %cst = arith.constant dense<0.000000e+00> : vector<4x8xf32>
    %c0 = arith.constant 0 : index
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = vector.transfer_read %arg0[%c0, %c0], %cst_0 {in_bounds = [true, true]} : memref<4x8xf32>, vector<4x8xf32>
    %1 = vector.extract_strided_slice %0 {offsets = [0, 0], sizes = [1, 8], strides = [1, 1]} : vector<4x8xf32> to vector<1x8xf32>
    %2 = vector.insert_strided_slice %1, %cst {offsets = [0, 0], strides = [1, 1]} : vector<1x8xf32> into vector<4x8xf32>
    %3 = vector.extract_strided_slice %0 {offsets = [2, 0], sizes = [1, 8], strides = [1, 1]} : vector<4x8xf32> to vector<1x8xf32>
    %4 = arith.addf %1, %3 : vector<1x8xf32>
    %5 = vector.insert_strided_slice %4, %2 {offsets = [1, 0], strides = [1, 1]} : vector<1x8xf32> into vector<4x8xf32>
    %6 = vector.extract_strided_slice %0 {offsets = [2, 0], sizes = [1, 8], strides = [1, 1]} : vector<4x8xf32> to vector<1x8xf32>
    %7 = arith.addf %4, %6 : vector<1x8xf32>
    %8 = vector.insert_strided_slice %7, %5 {offsets = [2, 0], strides = [1, 1]} : vector<1x8xf32> into vector<4x8xf32>
    %9 = vector.extract_strided_slice %0 {offsets = [3, 0], sizes = [1, 8], strides = [1, 1]} : vector<4x8xf32> to vector<1x8xf32>
    %10 = arith.addf %7, %9 : vector<1x8xf32>
    %11 = vector.insert_strided_slice %10, %8 {offsets = [3, 0], strides = [1, 1]} : vector<1x8xf32> into vector<4x8xf32>
    vector.transfer_write %11, %arg1[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
    return
  }
  func.func @exclusive(%arg0: memref<4x8xf32>, %arg1: memref<4x8xf32>) {
    %cst = arith.constant dense<1.000000e+00> : vector<4x1xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : vector<4x8xf32>
    %c0 = arith.constant 0 : index
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = vector.transfer_read %arg0[%c0, %c0], %cst_1 {in_bounds = [true, true]} : memref<4x8xf32>, vector<4x8xf32>
    %1 = vector.extract_strided_slice %0 {offsets = [0, 0], sizes = [4, 1], strides = [1, 1]} : vector<4x8xf32> to vector<4x1xf32>
    %2 = vector.insert_strided_slice %cst, %cst_0 {offsets = [0, 0], strides = [1, 1]} : vector<4x1xf32> into vector<4x8xf32>
    %3 = vector.extract_strided_slice %0 {offsets = [0, 2], sizes = [4, 1], strides = [1, 1]} : vector<4x8xf32> to vector<4x1xf32>
    %4 = arith.addf %1, %cst : vector<4x1xf32>
    %5 = vector.insert_strided_slice %4, %2 {offsets = [0, 1], strides = [1, 1]} : vector<4x1xf32> into vector<4x8xf32>
    %6 = vector.extract_strided_slice %0 {offsets = [0, 2], sizes = [4, 1], strides = [1, 1]} : vector<4x8xf32> to vector<4x1xf32>
    %7 = arith.addf %4, %3 : vector<4x1xf32>
    %8 = vector.insert_strided_slice %7, %5 {offsets = [0, 2], strides = [1, 1]} : vector<4x1xf32> into vector<4x8xf32>
    %9 = vector.extract_strided_slice %0 {offsets = [0, 3], sizes = [4, 1], strides = [1, 1]} : vector<4x8xf32> to vector<4x1xf32>
    %10 = arith.addf %7, %6 : vector<4x1xf32>
    %11 = vector.insert_strided_slice %10, %8 {offsets = [0, 3], strides = [1, 1]} : vector<4x1xf32> into vector<4x8xf32>
    %12 = vector.extract_strided_slice %0 {offsets = [0, 4], sizes = [4, 1], strides = [1, 1]} : vector<4x8xf32> to vector<4x1xf32>
    %13 = arith.addf %10, %9 : vector<4x1xf32>
    %14 = vector.insert_strided_slice %13, %11 {offsets = [0, 4], strides = [1, 1]} : vector<4x1xf32> into vector<4x8xf32>
    %15 = vector.extract_strided_slice %0 {offsets = [0, 5], sizes = [4, 1], strides = [1, 1]} : vector<4x8xf32> to vector<4x1xf32>
    %16 = arith.addf %13, %12 : vector<4x1xf32>
    %17 = vector.insert_strided_slice %16, %14 {offsets = [0, 5], strides = [1, 1]} : vector<4x1xf32> into vector<4x8xf32>
    %18 = vector.extract_strided_slice %0 {offsets = [0, 6], sizes = [4, 1], strides = [1, 1]} : vector<4x8xf32> to vector<4x1xf32>
    %19 = arith.addf %16, %15 : vector<4x1xf32>
    %20 = vector.insert_strided_slice %19, %17 {offsets = [0, 6], strides = [1, 1]} : vector<4x1xf32> into vector<4x8xf32>
    %21 = arith.addf %19, %18 : vector<4x1xf32>
    %22 = vector.insert_strided_slice %21, %20 {offsets = [0, 7], strides = [1, 1]} : vector<4x1xf32> into vector<4x8xf32>
    vector.transfer_write %22, %arg1[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
    return
  }
}
