// recursion.src.mlir by mlir-opt --canonicalize --cse
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/recursion.src.mlir %s | FileCheck %s
// RUN: mlir-opt --canonicalize --cse %S/recursion.src.mlir | hecv check %S/recursion.src.mlir - | FileCheck %s
// CHECK: {{^}}equivalent: @ackermann
// CHECK: {{^}}equivalent: @prefix
module {
  memref.global @steps : memref<i32> = dense<0>
  func.func @ackermann(%arg0: i32, %arg1: i32) -> i32 {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %0 = arith.cmpi sle, %arg0, %c0_i32 : i32
    %1 = scf.if %0 -> (i32) {
      %2 = arith.addi %arg1, %c1_i32 : i32
      scf.yield %2 : i32
    } else {
      %2 = arith.subi %arg0, %c1_i32 : i32
      %3 = arith.cmpi sle, %arg1, %c0_i32 : i32
      %4 = scf.if %3 -> (i32) {
        scf.yield %c1_i32 : i32
      } else {
        %6 = arith.subi %arg1, %c1_i32 : i32
        %7 = func.call @ackermann(%arg0, %6) : (i32, i32) -> i32
        scf.yield %7 : i32
      }
      %5 = func.call @ackermann(%2, %4) : (i32, i32) -> i32
      scf.yield %5 : i32
    }
    return %1 : i32
  }
  func.func @prefix(%arg0: memref<?xi32>, %arg1: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2_i32 = arith.constant 2 : i32
    %dim = memref.dim %arg0, %c0 : memref<?xi32>
    %0 = arith.cmpi slt, %arg1, %dim : index
    scf.if %0 {
      %1 = memref.load %arg0[%arg1] : memref<?xi32>
      %2 = memref.get_global @steps : memref<i32>
      %3 = arith.muli %1, %c2_i32 : i32
      memref.store %3, %arg0[%arg1] : memref<?xi32>
      memref.store %3, %2[] : memref<i32>
      %4 = arith.addi %arg1, %c1 : index
      func.call @suffix(%arg0, %4) : (memref<?xi32>, index) -> ()
    }
    return
  }
  func.func private @suffix(%arg0: memref<?xi32>, %arg1: index) {
    %c1 = arith.constant 1 : index
    %0 = arith.addi %arg1, %c1 : index
    call @prefix(%arg0, %0) : (memref<?xi32>, index) -> ()
    return
  }
}
