// mlir-opt coalesced.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-coalescing),lower-affine,func.func(convert-scf-to-cf,canonicalize,lift-cf-to-scf))'
// Verdict: equivalent, where no size is negative
// RUN: %exits 0 hecv check %S/coalesced.src.mlir %s --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %s %s --assume nonneg | FileCheck %s
// CHECK: {{^}}equivalent: @below

module {
  func.func @below(%arg0: index, %arg1: index, %arg2: f32, %arg3: memref<?x?xf32>, %arg4: memref<?x?xf32>) {
    %0 = ub.poison : index
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c-1 = arith.constant -1 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %1 = arith.muli %arg1, %arg0 overflow<nsw> : index
    %2 = scf.while (%arg5 = %c0) : (index) -> index {
      %3 = arith.cmpi slt, %arg5, %1 : index
      %4:3 = scf.if %3 -> (index, i32, i32) {
        %6 = arith.remsi %arg5, %arg1 : index
        %7 = arith.cmpi slt, %6, %c0 : index
        %8 = arith.addi %6, %arg1 : index
        %9 = arith.select %7, %8, %6 : index
        %10 = arith.cmpi slt, %arg5, %c0 : index
        %11 = arith.subi %c-1, %arg5 : index
        %12 = arith.select %10, %11, %arg5 : index
        %13 = arith.divsi %12, %arg1 : index
        %14 = arith.subi %c-1, %13 : index
        %15 = arith.select %10, %14, %13 : index
        %16 = arith.cmpi slt, %arg5, %c0 : index
        %17 = arith.subi %c-1, %arg5 : index
        %18 = arith.select %16, %17, %arg5 : index
        %19 = arith.divsi %18, %arg1 : index
        %20 = arith.subi %c-1, %19 : index
        %21 = arith.select %16, %20, %19 : index
        %22 = arith.addi %21, %c1 : index
        %23 = scf.while (%arg6 = %22) : (index) -> index {
          %27 = arith.cmpi slt, %arg6, %arg0 : index
          %28:3 = scf.if %27 -> (index, i32, i32) {
            %30 = memref.load %arg4[%15, %9] : memref<?x?xf32>
            %31 = memref.load %arg3[%arg6, %15] : memref<?x?xf32>
            %32 = arith.addf %30, %31 : f32
            memref.store %32, %arg4[%15, %9] : memref<?x?xf32>
            %33 = arith.addi %arg6, %c1 : index
            scf.yield %33, %c0_i32, %c1_i32 : index, i32, i32
          } else {
            scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
          }
          %29 = arith.trunci %28#2 : i32 to i1
          scf.condition(%29) %28#0 : index
        } do {
        ^bb0(%arg6: index):
          scf.yield %arg6 : index
        }
        %24 = memref.load %arg4[%15, %9] : memref<?x?xf32>
        %25 = arith.mulf %arg2, %24 : f32
        memref.store %25, %arg4[%15, %9] : memref<?x?xf32>
        %26 = arith.addi %arg5, %c1 : index
        scf.yield %26, %c0_i32, %c1_i32 : index, i32, i32
      } else {
        scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
      }
      %5 = arith.trunci %4#2 : i32 to i1
      scf.condition(%5) %4#0 : index
    } do {
    ^bb0(%arg5: index):
      scf.yield %arg5 : index
    }
    return
  }
}

