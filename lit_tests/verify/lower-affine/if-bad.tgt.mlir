// mlir-opt if.src.mlir --pass-pipeline='builtin.module(lower-affine,canonicalize,cse)', then changed by hand
// Verdict: not equivalent
// Changed: line 15, the condition holds once too often; it was
//     %c-10 = arith.constant -10 : index
// RUN: %exits 1 hecv check %S/if.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @guard
// SELF: {{^}}equivalent: @guard

module {
  func.func @guard(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
    %c3 = arith.constant 3 : index
    %c-3 = arith.constant -3 : index
    %c8 = arith.constant 8 : index
    %c-10 = arith.constant -9 : index
    %c-1 = arith.constant -1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg3 = %c0 to %arg1 step %c1 {
      %0 = arith.subi %arg2, %arg3 : index
      %1 = arith.addi %0, %arg1 : index
      %2 = arith.addi %1, %c-10 : index
      %3 = arith.cmpi sge, %2, %c0 : index
      %4 = arith.remsi %arg3, %c8 : index
      %5 = arith.cmpi slt, %4, %c0 : index
      %6 = arith.addi %4, %c8 : index
      %7 = arith.select %5, %6, %4 : index
      %8 = arith.addi %7, %c-3 : index
      %9 = arith.cmpi eq, %8, %c0 : index
      %10 = arith.andi %3, %9 : i1
      %11 = arith.cmpi slt, %arg2, %c0 : index
      %12 = arith.subi %c-1, %arg2 : index
      %13 = arith.select %11, %12, %arg2 : index
      %14 = arith.divsi %13, %c3 : index
      %15 = arith.subi %c-1, %14 : index
      %16 = arith.select %11, %15, %14 : index
      %17 = arith.subi %arg3, %16 : index
      %18 = arith.cmpi sge, %17, %c0 : index
      %19 = arith.andi %10, %18 : i1
      scf.if %19 {
        %20 = memref.load %arg0[%arg3] : memref<?xf32>
        %21 = arith.addf %20, %20 : f32
        memref.store %21, %arg0[%arg3] : memref<?xf32>
      } else {
        %20 = memref.load %arg0[%arg3] : memref<?xf32>
        %21 = arith.mulf %20, %20 : f32
        memref.store %21, %arg0[%arg3] : memref<?xf32>
      }
    }
    return
  }
}
