// mlir-opt if-products.src.mlir --pass-pipeline='builtin.module(lower-affine,canonicalize,cse)', then changed by hand
// Verdict: not equivalent
// Changed: line 34, a factor is another; it was
//       %13 = arith.muli %arg2, %c-5 overflow<nsw> : index
// RUN: %exits 1 hecv check %S/if-products.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @guard
// SELF: {{^}}equivalent: @guard

module {
  func.func @guard(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
    %c4 = arith.constant 4 : index
    %c-5 = arith.constant -5 : index
    %c3 = arith.constant 3 : index
    %c-10 = arith.constant -10 : index
    %c2 = arith.constant 2 : index
    %c-1 = arith.constant -1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg3 = %c0 to %arg1 step %c1 {
      %0 = arith.muli %arg2, %c2 overflow<nsw> : index
      %1 = arith.subi %0, %arg3 : index
      %2 = arith.addi %1, %arg1 : index
      %3 = arith.addi %2, %c-10 : index
      %4 = arith.cmpi sge, %3, %c0 : index
      %5 = arith.addi %arg3, %arg2 : index
      %6 = arith.remsi %5, %c3 : index
      %7 = arith.cmpi slt, %6, %c0 : index
      %8 = arith.addi %6, %c3 : index
      %9 = arith.select %7, %8, %6 : index
      %10 = arith.addi %9, %c-1 : index
      %11 = arith.cmpi eq, %10, %c0 : index
      %12 = arith.andi %4, %11 : i1
      %13 = arith.muli %arg2, %c-1 overflow<nsw> : index
      %14 = arith.addi %arg3, %13 : index
      %15 = arith.addi %14, %arg1 : index
      %16 = arith.cmpi slt, %15, %c0 : index
      %17 = arith.subi %c-1, %15 : index
      %18 = arith.select %16, %17, %15 : index
      %19 = arith.divsi %18, %c4 : index
      %20 = arith.subi %c-1, %19 : index
      %21 = arith.select %16, %20, %19 : index
      %22 = arith.subi %21, %arg3 : index
      %23 = arith.cmpi sge, %22, %c0 : index
      %24 = arith.andi %12, %23 : i1
      scf.if %24 {
        %25 = memref.load %arg0[%arg3] : memref<?xf32>
        %26 = arith.addf %25, %25 : f32
        memref.store %26, %arg0[%arg3] : memref<?xf32>
      }
    }
    return
  }
}

