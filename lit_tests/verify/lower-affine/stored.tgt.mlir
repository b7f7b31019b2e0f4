// mlir-opt stored.src.mlir --pass-pipeline='builtin.module(lower-affine,canonicalize,cse)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/stored.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %S/stored.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %S/stored.src.mlir %S/stored.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @offsets

module {
  func.func @offsets(%arg0: memref<?xindex>, %arg1: memref<?xi32>, %arg2: index, %arg3: index) {
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c-3 = arith.constant -3 : index
    %c-1 = arith.constant -1 : index
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c50 = arith.constant 50 : index
    %c1 = arith.constant 1 : index
    scf.for %arg4 = %c0 to %c50 step %c1 {
      %0 = arith.muli %arg4, %c2 overflow<nsw> : index
      %1 = arith.addi %0, %arg3 : index
      %2 = arith.cmpi slt, %arg2, %c0 : index
      %3 = arith.subi %c-1, %arg2 : index
      %4 = arith.select %2, %3, %arg2 : index
      %5 = arith.divsi %4, %c3 : index
      %6 = arith.subi %c-1, %5 : index
      %7 = arith.select %2, %6, %5 : index
      %8 = arith.subi %1, %7 : index
      %9 = arith.addi %8, %c-3 : index
      %10 = arith.addi %arg4, %c7 : index
      %11 = arith.remsi %10, %c5 : index
      %12 = arith.cmpi slt, %11, %c0 : index
      %13 = arith.addi %11, %c5 : index
      %14 = arith.select %12, %13, %11 : index
      %15 = arith.cmpi sle, %arg4, %c0 : index
      %16 = arith.subi %c0, %arg4 : index
      %17 = arith.subi %arg4, %c1 : index
      %18 = arith.select %15, %16, %17 : index
      %19 = arith.divsi %18, %c3 : index
      %20 = arith.subi %c0, %19 : index
      %21 = arith.addi %19, %c1 : index
      %22 = arith.select %15, %20, %21 : index
      %23 = arith.muli %22, %c4 overflow<nsw> : index
      %24 = arith.addi %14, %23 : index
      %25 = arith.addi %9, %24 : index
      memref.store %25, %arg0[%arg4] : memref<?xindex>
      %26 = arith.index_cast %24 : index to i32
      memref.store %26, %arg1[%arg4] : memref<?xi32>
    }
    return
  }
}

