// mlir-opt thrice.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}),lower-affine,func.func(test-loop-unrolling{unroll-factor=2 loop-depth=1},test-loop-unrolling{unroll-factor=2 loop-depth=1},canonicalize))', then changed by hand
// Verdict: not equivalent
// Changed: line 85, what the loop by eight leaves to the loop by four is not done; it was
//   scf.for %arg4 = %20 to %14 step %c4
// RUN: %exits 1 hecv check %S/thrice.src.mlir %s --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %s %s --assume nonneg | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @sums
// SELF: {{^}}equivalent: @sums

module {
  func.func @sums(%arg0: index, %arg1: memref<?x?xf32>, %arg2: memref<?xf32>) {
    %c7 = arith.constant 7 : index
    %c6 = arith.constant 6 : index
    %c5 = arith.constant 5 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %c-1 = arith.constant -1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg3 = %c0 to %arg0 step %c1 {
      %0 = arith.subi %arg0, %arg3 : index
      %1 = arith.cmpi slt, %0, %c0 : index
      %2 = arith.subi %c-1, %0 : index
      %3 = arith.select %1, %2, %0 : index
      %4 = arith.divsi %3, %c2 : index
      %5 = arith.subi %c-1, %4 : index
      %6 = arith.select %1, %5, %4 : index
      %7 = arith.muli %6, %c2 overflow<nsw> : index
      %8 = arith.addi %arg3, %7 : index
      %9 = arith.addi %7, %c1 : index
      %10 = arith.divui %9, %c2 : index
      %11 = arith.remsi %10, %c2 : index
      %12 = arith.subi %10, %11 : index
      %13 = arith.muli %12, %c2 : index
      %14 = arith.addi %arg3, %13 : index
      %15 = arith.addi %13, %c3 : index
      %16 = arith.divui %15, %c4 : index
      %17 = arith.remsi %16, %c2 : index
      %18 = arith.subi %16, %17 : index
      %19 = arith.muli %18, %c4 : index
      %20 = arith.addi %arg3, %19 : index
      scf.for %arg4 = %arg3 to %20 step %c8 {
        %51 = memref.load %arg2[%arg3] : memref<?xf32>
        %52 = memref.load %arg1[%arg4, %arg3] : memref<?x?xf32>
        %53 = arith.addf %51, %52 : f32
        memref.store %53, %arg2[%arg3] : memref<?xf32>
        %54 = arith.addi %arg4, %c1 : index
        %55 = memref.load %arg2[%arg3] : memref<?xf32>
        %56 = memref.load %arg1[%54, %arg3] : memref<?x?xf32>
        %57 = arith.addf %55, %56 : f32
        memref.store %57, %arg2[%arg3] : memref<?xf32>
        %58 = arith.addi %arg4, %c2 : index
        %59 = memref.load %arg2[%arg3] : memref<?xf32>
        %60 = memref.load %arg1[%58, %arg3] : memref<?x?xf32>
        %61 = arith.addf %59, %60 : f32
        memref.store %61, %arg2[%arg3] : memref<?xf32>
        %62 = arith.addi %arg4, %c3 : index
        %63 = memref.load %arg2[%arg3] : memref<?xf32>
        %64 = memref.load %arg1[%62, %arg3] : memref<?x?xf32>
        %65 = arith.addf %63, %64 : f32
        memref.store %65, %arg2[%arg3] : memref<?xf32>
        %66 = arith.addi %arg4, %c4 : index
        %67 = memref.load %arg2[%arg3] : memref<?xf32>
        %68 = memref.load %arg1[%66, %arg3] : memref<?x?xf32>
        %69 = arith.addf %67, %68 : f32
        memref.store %69, %arg2[%arg3] : memref<?xf32>
        %70 = arith.addi %arg4, %c5 : index
        %71 = memref.load %arg2[%arg3] : memref<?xf32>
        %72 = memref.load %arg1[%70, %arg3] : memref<?x?xf32>
        %73 = arith.addf %71, %72 : f32
        memref.store %73, %arg2[%arg3] : memref<?xf32>
        %74 = arith.addi %arg4, %c6 : index
        %75 = memref.load %arg2[%arg3] : memref<?xf32>
        %76 = memref.load %arg1[%74, %arg3] : memref<?x?xf32>
        %77 = arith.addf %75, %76 : f32
        memref.store %77, %arg2[%arg3] : memref<?xf32>
        %78 = arith.addi %arg4, %c7 : index
        %79 = memref.load %arg2[%arg3] : memref<?xf32>
        %80 = memref.load %arg1[%78, %arg3] : memref<?x?xf32>
        %81 = arith.addf %79, %80 : f32
        memref.store %81, %arg2[%arg3] : memref<?xf32>
      }
      scf.for %arg4 = %14 to %14 step %c4 {
        %51 = memref.load %arg2[%arg3] : memref<?xf32>
        %52 = memref.load %arg1[%arg4, %arg3] : memref<?x?xf32>
        %53 = arith.addf %51, %52 : f32
        memref.store %53, %arg2[%arg3] : memref<?xf32>
        %54 = arith.addi %arg4, %c1 : index
        %55 = memref.load %arg2[%arg3] : memref<?xf32>
        %56 = memref.load %arg1[%54, %arg3] : memref<?x?xf32>
        %57 = arith.addf %55, %56 : f32
        memref.store %57, %arg2[%arg3] : memref<?xf32>
        %58 = arith.addi %arg4, %c2 : index
        %59 = memref.load %arg2[%arg3] : memref<?xf32>
        %60 = memref.load %arg1[%58, %arg3] : memref<?x?xf32>
        %61 = arith.addf %59, %60 : f32
        memref.store %61, %arg2[%arg3] : memref<?xf32>
        %62 = arith.addi %arg4, %c3 : index
        %63 = memref.load %arg2[%arg3] : memref<?xf32>
        %64 = memref.load %arg1[%62, %arg3] : memref<?x?xf32>
        %65 = arith.addf %63, %64 : f32
        memref.store %65, %arg2[%arg3] : memref<?xf32>
      }
      %21 = arith.subi %8, %14 : index
      %22 = arith.addi %21, %c1 : index
      %23 = arith.divui %22, %c2 : index
      %24 = arith.remsi %23, %c2 : index
      %25 = arith.subi %23, %24 : index
      %26 = arith.muli %25, %c2 : index
      %27 = arith.addi %14, %26 : index
      scf.for %arg4 = %14 to %27 step %c4 {
        %51 = memref.load %arg2[%arg3] : memref<?xf32>
        %52 = memref.load %arg1[%arg4, %arg3] : memref<?x?xf32>
        %53 = arith.addf %51, %52 : f32
        memref.store %53, %arg2[%arg3] : memref<?xf32>
        %54 = arith.addi %arg4, %c1 : index
        %55 = memref.load %arg2[%arg3] : memref<?xf32>
        %56 = memref.load %arg1[%54, %arg3] : memref<?x?xf32>
        %57 = arith.addf %55, %56 : f32
        memref.store %57, %arg2[%arg3] : memref<?xf32>
        %58 = arith.addi %arg4, %c2 : index
        %59 = memref.load %arg2[%arg3] : memref<?xf32>
        %60 = memref.load %arg1[%58, %arg3] : memref<?x?xf32>
        %61 = arith.addf %59, %60 : f32
        memref.store %61, %arg2[%arg3] : memref<?xf32>
        %62 = arith.addi %arg4, %c3 : index
        %63 = memref.load %arg2[%arg3] : memref<?xf32>
        %64 = memref.load %arg1[%62, %arg3] : memref<?x?xf32>
        %65 = arith.addf %63, %64 : f32
        memref.store %65, %arg2[%arg3] : memref<?xf32>
      }
      scf.for %arg4 = %27 to %8 step %c2 {
        %51 = memref.load %arg2[%arg3] : memref<?xf32>
        %52 = memref.load %arg1[%arg4, %arg3] : memref<?x?xf32>
        %53 = arith.addf %51, %52 : f32
        memref.store %53, %arg2[%arg3] : memref<?xf32>
        %54 = arith.addi %arg4, %c1 : index
        %55 = memref.load %arg2[%arg3] : memref<?xf32>
        %56 = memref.load %arg1[%54, %arg3] : memref<?x?xf32>
        %57 = arith.addf %55, %56 : f32
        memref.store %57, %arg2[%arg3] : memref<?xf32>
      }
      %28 = arith.subi %arg0, %arg3 : index
      %29 = arith.cmpi slt, %28, %c0 : index
      %30 = arith.subi %c-1, %28 : index
      %31 = arith.select %29, %30, %28 : index
      %32 = arith.divsi %31, %c2 : index
      %33 = arith.subi %c-1, %32 : index
      %34 = arith.select %29, %33, %32 : index
      %35 = arith.muli %34, %c2 overflow<nsw> : index
      %36 = arith.addi %arg3, %35 : index
      %37 = arith.subi %arg0, %36 : index
      %38 = arith.remsi %37, %c2 : index
      %39 = arith.subi %37, %38 : index
      %40 = arith.addi %36, %39 : index
      %41 = arith.addi %39, %c1 : index
      %42 = arith.divui %41, %c2 : index
      %43 = arith.remsi %42, %c2 : index
      %44 = arith.subi %42, %43 : index
      %45 = arith.muli %44, %c2 : index
      %46 = arith.addi %36, %45 : index
      scf.for %arg4 = %36 to %46 step %c4 {
        %51 = memref.load %arg2[%arg3] : memref<?xf32>
        %52 = memref.load %arg1[%arg4, %arg3] : memref<?x?xf32>
        %53 = arith.addf %51, %52 : f32
        memref.store %53, %arg2[%arg3] : memref<?xf32>
        %54 = arith.addi %arg4, %c1 : index
        %55 = memref.load %arg2[%arg3] : memref<?xf32>
        %56 = memref.load %arg1[%54, %arg3] : memref<?x?xf32>
        %57 = arith.addf %55, %56 : f32
        memref.store %57, %arg2[%arg3] : memref<?xf32>
        %58 = arith.addi %arg4, %c2 : index
        %59 = memref.load %arg2[%arg3] : memref<?xf32>
        %60 = memref.load %arg1[%58, %arg3] : memref<?x?xf32>
        %61 = arith.addf %59, %60 : f32
        memref.store %61, %arg2[%arg3] : memref<?xf32>
        %62 = arith.addi %arg4, %c3 : index
        %63 = memref.load %arg2[%arg3] : memref<?xf32>
        %64 = memref.load %arg1[%62, %arg3] : memref<?x?xf32>
        %65 = arith.addf %63, %64 : f32
        memref.store %65, %arg2[%arg3] : memref<?xf32>
      }
      scf.for %arg4 = %46 to %40 step %c2 {
        %51 = memref.load %arg2[%arg3] : memref<?xf32>
        %52 = memref.load %arg1[%arg4, %arg3] : memref<?x?xf32>
        %53 = arith.addf %51, %52 : f32
        memref.store %53, %arg2[%arg3] : memref<?xf32>
        %54 = arith.addi %arg4, %c1 : index
        %55 = memref.load %arg2[%arg3] : memref<?xf32>
        %56 = memref.load %arg1[%54, %arg3] : memref<?x?xf32>
        %57 = arith.addf %55, %56 : f32
        memref.store %57, %arg2[%arg3] : memref<?xf32>
      }
      %47 = arith.subi %arg0, %40 : index
      %48 = arith.remsi %47, %c2 : index
      %49 = arith.subi %47, %48 : index
      %50 = arith.addi %40, %49 : index
      scf.for %arg4 = %40 to %50 step %c2 {
        %51 = memref.load %arg2[%arg3] : memref<?xf32>
        %52 = memref.load %arg1[%arg4, %arg3] : memref<?x?xf32>
        %53 = arith.addf %51, %52 : f32
        memref.store %53, %arg2[%arg3] : memref<?xf32>
        %54 = arith.addi %arg4, %c1 : index
        %55 = memref.load %arg2[%arg3] : memref<?xf32>
        %56 = memref.load %arg1[%54, %arg3] : memref<?x?xf32>
        %57 = arith.addf %55, %56 : f32
        memref.store %57, %arg2[%arg3] : memref<?xf32>
      }
      scf.for %arg4 = %50 to %arg0 step %c1 {
        %51 = memref.load %arg2[%arg3] : memref<?xf32>
        %52 = memref.load %arg1[%arg4, %arg3] : memref<?x?xf32>
        %53 = arith.addf %51, %52 : f32
        memref.store %53, %arg2[%arg3] : memref<?xf32>
      }
    }
    return
  }
}

