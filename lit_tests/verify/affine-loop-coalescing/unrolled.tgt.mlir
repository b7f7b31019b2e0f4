// mlir-opt unrolled.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-coalescing,affine-loop-unroll{unroll-factor=4}),lower-affine,func.func(canonicalize,cse))'
// Verdict: equivalent, where no size is negative
// RUN: %exits 0 hecv check %S/unrolled.src.mlir %s --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %s %s --assume nonneg | FileCheck %s
// CHECK: {{^}}equivalent: @scale

module {
  func.func @scale(%arg0: index, %arg1: index, %arg2: f32, %arg3: memref<?x?xf32>, %arg4: memref<?x?xf32>) {
    %c-4 = arith.constant -4 : index
    %c-3 = arith.constant -3 : index
    %c-2 = arith.constant -2 : index
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c-1 = arith.constant -1 : index
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %0 = arith.muli %arg1, %arg0 overflow<nsw> : index
    %1 = arith.cmpi slt, %0, %c0 : index
    %2 = arith.subi %c-1, %0 : index
    %3 = arith.select %1, %2, %0 : index
    %4 = arith.divsi %3, %c4 : index
    %5 = arith.subi %c-1, %4 : index
    %6 = arith.select %1, %5, %4 : index
    %7 = arith.muli %6, %c4 overflow<nsw> : index
    scf.for %arg5 = %c0 to %7 step %c4 {
      %8 = arith.remsi %arg5, %arg1 : index
      %9 = arith.cmpi slt, %8, %c0 : index
      %10 = arith.addi %8, %arg1 : index
      %11 = arith.select %9, %10, %8 : index
      %12 = arith.cmpi slt, %arg5, %c0 : index
      %13 = arith.subi %c-1, %arg5 : index
      %14 = arith.select %12, %13, %arg5 : index
      %15 = arith.divsi %14, %arg1 : index
      %16 = arith.subi %c-1, %15 : index
      %17 = arith.select %12, %16, %15 : index
      %18 = memref.load %arg3[%17, %11] : memref<?x?xf32>
      %19 = memref.load %arg4[%11, %17] : memref<?x?xf32>
      %20 = arith.mulf %18, %arg2 : f32
      %21 = arith.addf %20, %19 : f32
      memref.store %21, %arg3[%17, %11] : memref<?x?xf32>
      %22 = arith.addi %arg5, %c1 : index
      %23 = arith.remsi %22, %arg1 : index
      %24 = arith.cmpi slt, %23, %c0 : index
      %25 = arith.addi %23, %arg1 : index
      %26 = arith.select %24, %25, %23 : index
      %27 = arith.cmpi slt, %22, %c0 : index
      %28 = arith.subi %c-2, %arg5 : index
      %29 = arith.select %27, %28, %22 : index
      %30 = arith.divsi %29, %arg1 : index
      %31 = arith.subi %c-1, %30 : index
      %32 = arith.select %27, %31, %30 : index
      %33 = memref.load %arg3[%32, %26] : memref<?x?xf32>
      %34 = memref.load %arg4[%26, %32] : memref<?x?xf32>
      %35 = arith.mulf %33, %arg2 : f32
      %36 = arith.addf %35, %34 : f32
      memref.store %36, %arg3[%32, %26] : memref<?x?xf32>
      %37 = arith.addi %arg5, %c2 : index
      %38 = arith.remsi %37, %arg1 : index
      %39 = arith.cmpi slt, %38, %c0 : index
      %40 = arith.addi %38, %arg1 : index
      %41 = arith.select %39, %40, %38 : index
      %42 = arith.cmpi slt, %37, %c0 : index
      %43 = arith.subi %c-3, %arg5 : index
      %44 = arith.select %42, %43, %37 : index
      %45 = arith.divsi %44, %arg1 : index
      %46 = arith.subi %c-1, %45 : index
      %47 = arith.select %42, %46, %45 : index
      %48 = memref.load %arg3[%47, %41] : memref<?x?xf32>
      %49 = memref.load %arg4[%41, %47] : memref<?x?xf32>
      %50 = arith.mulf %48, %arg2 : f32
      %51 = arith.addf %50, %49 : f32
      memref.store %51, %arg3[%47, %41] : memref<?x?xf32>
      %52 = arith.addi %arg5, %c3 : index
      %53 = arith.remsi %52, %arg1 : index
      %54 = arith.cmpi slt, %53, %c0 : index
      %55 = arith.addi %53, %arg1 : index
      %56 = arith.select %54, %55, %53 : index
      %57 = arith.cmpi slt, %52, %c0 : index
      %58 = arith.subi %c-4, %arg5 : index
      %59 = arith.select %57, %58, %52 : index
      %60 = arith.divsi %59, %arg1 : index
      %61 = arith.subi %c-1, %60 : index
      %62 = arith.select %57, %61, %60 : index
      %63 = memref.load %arg3[%62, %56] : memref<?x?xf32>
      %64 = memref.load %arg4[%56, %62] : memref<?x?xf32>
      %65 = arith.mulf %63, %arg2 : f32
      %66 = arith.addf %65, %64 : f32
      memref.store %66, %arg3[%62, %56] : memref<?x?xf32>
    }
    scf.for %arg5 = %7 to %0 step %c1 {
      %8 = arith.remsi %arg5, %arg1 : index
      %9 = arith.cmpi slt, %8, %c0 : index
      %10 = arith.addi %8, %arg1 : index
      %11 = arith.select %9, %10, %8 : index
      %12 = arith.cmpi slt, %arg5, %c0 : index
      %13 = arith.subi %c-1, %arg5 : index
      %14 = arith.select %12, %13, %arg5 : index
      %15 = arith.divsi %14, %arg1 : index
      %16 = arith.subi %c-1, %15 : index
      %17 = arith.select %12, %16, %15 : index
      %18 = memref.load %arg3[%17, %11] : memref<?x?xf32>
      %19 = memref.load %arg4[%11, %17] : memref<?x?xf32>
      %20 = arith.mulf %18, %arg2 : f32
      %21 = arith.addf %20, %19 : f32
      memref.store %21, %arg3[%17, %11] : memref<?x?xf32>
    }
    return
  }
}

