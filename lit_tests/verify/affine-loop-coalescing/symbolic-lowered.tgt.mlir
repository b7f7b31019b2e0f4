// mlir-opt symbolic-lowered.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-coalescing),lower-affine,canonicalize,cse)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/symbolic-lowered.src.mlir %s --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %S/symbolic-lowered.src.mlir %S/symbolic-lowered.src.mlir --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %s %s --assume nonneg | FileCheck %s
// CHECK: {{^}}equivalent: @double

module {
  func.func @double(%arg0: memref<?x?xf32>, %arg1: index, %arg2: index) {
    %c-1 = arith.constant -1 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %0 = arith.muli %arg2, %arg1 overflow<nsw> : index
    scf.for %arg3 = %c0 to %0 step %c1 {
      %1 = arith.remsi %arg3, %arg2 : index
      %2 = arith.cmpi slt, %1, %c0 : index
      %3 = arith.addi %1, %arg2 : index
      %4 = arith.select %2, %3, %1 : index
      %5 = arith.cmpi slt, %arg3, %c0 : index
      %6 = arith.subi %c-1, %arg3 : index
      %7 = arith.select %5, %6, %arg3 : index
      %8 = arith.divsi %7, %arg2 : index
      %9 = arith.subi %c-1, %8 : index
      %10 = arith.select %5, %9, %8 : index
      %11 = memref.load %arg0[%10, %4] : memref<?x?xf32>
      %12 = arith.addf %11, %11 : f32
      memref.store %12, %arg0[%10, %4] : memref<?x?xf32>
    }
    return
  }
}
