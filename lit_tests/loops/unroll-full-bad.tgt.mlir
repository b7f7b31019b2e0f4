// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=-1}))', then changed by hand
// Verdict: not equivalent
// Changed: @local: a copy with another subscript
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func local | FileCheck %s
// CHECK: {{^}}not equivalent: @local

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c0 = arith.constant 0 : index
  %c0_0 = arith.constant 0 : index
  affine.for %arg3 = 0 to %arg2 {
    %alloc = memref.alloc() : memref<16xf32>
    %0 = affine.load %arg0[%arg3, %c0_0] : memref<?x?xf32>
    %1 = arith.mulf %0, %0 : f32
    affine.store %1, %alloc[%c0_0] : memref<16xf32>
    %2 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c0_0)
    %3 = affine.load %arg0[%arg3, %2] : memref<?x?xf32>
    %4 = arith.mulf %3, %3 : f32
    affine.store %4, %alloc[%2] : memref<16xf32>
    %5 = affine.apply affine_map<(d0) -> (d0 + 2)>(%c0_0)
    %6 = affine.load %arg0[%arg3, %5] : memref<?x?xf32>
    %7 = arith.mulf %6, %6 : f32
    affine.store %7, %alloc[%5] : memref<16xf32>
    %8 = affine.apply affine_map<(d0) -> (d0 + 3)>(%c0_0)
    %9 = affine.load %arg0[%arg3, %8] : memref<?x?xf32>
    %10 = arith.mulf %9, %9 : f32
    affine.store %10, %alloc[%8] : memref<16xf32>
    %11 = affine.apply affine_map<(d0) -> (d0 + 4)>(%c0_0)
    %12 = affine.load %arg0[%arg3, %11] : memref<?x?xf32>
    %13 = arith.mulf %12, %12 : f32
    affine.store %13, %alloc[%11] : memref<16xf32>
    %14 = affine.apply affine_map<(d0) -> (d0 + 5)>(%c0_0)
    %15 = affine.load %arg0[%arg3, %14] : memref<?x?xf32>
    %16 = arith.mulf %15, %15 : f32
    affine.store %16, %alloc[%14] : memref<16xf32>
    %17 = affine.apply affine_map<(d0) -> (d0 + 6)>(%c0_0)
    %18 = affine.load %arg0[%arg3, %17] : memref<?x?xf32>
    %19 = arith.mulf %18, %18 : f32
    affine.store %19, %alloc[%17] : memref<16xf32>
    %20 = affine.apply affine_map<(d0) -> (d0 + 7)>(%c0_0)
    %21 = affine.load %arg0[%arg3, %20] : memref<?x?xf32>
    %22 = arith.mulf %21, %21 : f32
    affine.store %22, %alloc[%20] : memref<16xf32>
    %23 = affine.apply affine_map<(d0) -> (d0 + 8)>(%c0_0)
    %24 = affine.load %arg0[%arg3, %23] : memref<?x?xf32>
    %25 = arith.mulf %24, %24 : f32
    affine.store %25, %alloc[%23] : memref<16xf32>
    %26 = affine.apply affine_map<(d0) -> (d0 + 9)>(%c0_0)
    %27 = affine.load %arg0[%arg3, %26] : memref<?x?xf32>
    %28 = arith.mulf %27, %27 : f32
    affine.store %28, %alloc[%26] : memref<16xf32>
    %29 = affine.apply affine_map<(d0) -> (d0 + 10)>(%c0_0)
    %30 = affine.load %arg0[%arg3, %29] : memref<?x?xf32>
    %31 = arith.mulf %30, %30 : f32
    affine.store %31, %alloc[%29] : memref<16xf32>
    %32 = affine.apply affine_map<(d0) -> (d0 + 11)>(%c0_0)
    %33 = affine.load %arg0[%arg3, %32] : memref<?x?xf32>
    %34 = arith.mulf %33, %33 : f32
    affine.store %34, %alloc[%32] : memref<16xf32>
    %35 = affine.apply affine_map<(d0) -> (d0 + 12)>(%c0_0)
    %36 = affine.load %arg0[%arg3, %35] : memref<?x?xf32>
    %37 = arith.mulf %36, %36 : f32
    affine.store %37, %alloc[%35] : memref<16xf32>
    %38 = affine.apply affine_map<(d0) -> (d0 + 13)>(%c0_0)
    %39 = affine.load %arg0[%arg3, %38] : memref<?x?xf32>
    %40 = arith.mulf %39, %39 : f32
    affine.store %40, %alloc[%38] : memref<16xf32>
    %41 = affine.apply affine_map<(d0) -> (d0 + 14)>(%c0_0)
    %42 = affine.load %arg0[%arg3, %41] : memref<?x?xf32>
    %43 = arith.mulf %42, %42 : f32
    affine.store %43, %alloc[%41] : memref<16xf32>
    %44 = affine.apply affine_map<(d0) -> (d0 + 15)>(%c0_0)
    %45 = affine.load %arg0[%arg3, %44] : memref<?x?xf32>
    %46 = arith.mulf %45, %45 : f32
    affine.store %46, %alloc[%44] : memref<16xf32>
    %47 = affine.load %alloc[-%c0 + 15] : memref<16xf32>
    %48 = affine.load %arg1[%arg3] : memref<?xf32>
    %49 = arith.addf %47, %48 : f32
    affine.store %49, %arg1[%arg3] : memref<?xf32>
    %50 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c0)
    %51 = affine.load %alloc[-%50 + 14] : memref<16xf32>
    %52 = affine.load %arg1[%arg3] : memref<?xf32>
    %53 = arith.addf %51, %52 : f32
    affine.store %53, %arg1[%arg3] : memref<?xf32>
    %54 = affine.apply affine_map<(d0) -> (d0 + 2)>(%c0)
    %55 = affine.load %alloc[-%54 + 15] : memref<16xf32>
    %56 = affine.load %arg1[%arg3] : memref<?xf32>
    %57 = arith.addf %55, %56 : f32
    affine.store %57, %arg1[%arg3] : memref<?xf32>
    %58 = affine.apply affine_map<(d0) -> (d0 + 3)>(%c0)
    %59 = affine.load %alloc[-%58 + 15] : memref<16xf32>
    %60 = affine.load %arg1[%arg3] : memref<?xf32>
    %61 = arith.addf %59, %60 : f32
    affine.store %61, %arg1[%arg3] : memref<?xf32>
    %62 = affine.apply affine_map<(d0) -> (d0 + 4)>(%c0)
    %63 = affine.load %alloc[-%62 + 15] : memref<16xf32>
    %64 = affine.load %arg1[%arg3] : memref<?xf32>
    %65 = arith.addf %63, %64 : f32
    affine.store %65, %arg1[%arg3] : memref<?xf32>
    %66 = affine.apply affine_map<(d0) -> (d0 + 5)>(%c0)
    %67 = affine.load %alloc[-%66 + 15] : memref<16xf32>
    %68 = affine.load %arg1[%arg3] : memref<?xf32>
    %69 = arith.addf %67, %68 : f32
    affine.store %69, %arg1[%arg3] : memref<?xf32>
    %70 = affine.apply affine_map<(d0) -> (d0 + 6)>(%c0)
    %71 = affine.load %alloc[-%70 + 15] : memref<16xf32>
    %72 = affine.load %arg1[%arg3] : memref<?xf32>
    %73 = arith.addf %71, %72 : f32
    affine.store %73, %arg1[%arg3] : memref<?xf32>
    %74 = affine.apply affine_map<(d0) -> (d0 + 7)>(%c0)
    %75 = affine.load %alloc[-%74 + 15] : memref<16xf32>
    %76 = affine.load %arg1[%arg3] : memref<?xf32>
    %77 = arith.addf %75, %76 : f32
    affine.store %77, %arg1[%arg3] : memref<?xf32>
    %78 = affine.apply affine_map<(d0) -> (d0 + 8)>(%c0)
    %79 = affine.load %alloc[-%78 + 15] : memref<16xf32>
    %80 = affine.load %arg1[%arg3] : memref<?xf32>
    %81 = arith.addf %79, %80 : f32
    affine.store %81, %arg1[%arg3] : memref<?xf32>
    %82 = affine.apply affine_map<(d0) -> (d0 + 9)>(%c0)
    %83 = affine.load %alloc[-%82 + 15] : memref<16xf32>
    %84 = affine.load %arg1[%arg3] : memref<?xf32>
    %85 = arith.addf %83, %84 : f32
    affine.store %85, %arg1[%arg3] : memref<?xf32>
    %86 = affine.apply affine_map<(d0) -> (d0 + 10)>(%c0)
    %87 = affine.load %alloc[-%86 + 15] : memref<16xf32>
    %88 = affine.load %arg1[%arg3] : memref<?xf32>
    %89 = arith.addf %87, %88 : f32
    affine.store %89, %arg1[%arg3] : memref<?xf32>
    %90 = affine.apply affine_map<(d0) -> (d0 + 11)>(%c0)
    %91 = affine.load %alloc[-%90 + 15] : memref<16xf32>
    %92 = affine.load %arg1[%arg3] : memref<?xf32>
    %93 = arith.addf %91, %92 : f32
    affine.store %93, %arg1[%arg3] : memref<?xf32>
    %94 = affine.apply affine_map<(d0) -> (d0 + 12)>(%c0)
    %95 = affine.load %alloc[-%94 + 15] : memref<16xf32>
    %96 = affine.load %arg1[%arg3] : memref<?xf32>
    %97 = arith.addf %95, %96 : f32
    affine.store %97, %arg1[%arg3] : memref<?xf32>
    %98 = affine.apply affine_map<(d0) -> (d0 + 13)>(%c0)
    %99 = affine.load %alloc[-%98 + 15] : memref<16xf32>
    %100 = affine.load %arg1[%arg3] : memref<?xf32>
    %101 = arith.addf %99, %100 : f32
    affine.store %101, %arg1[%arg3] : memref<?xf32>
    %102 = affine.apply affine_map<(d0) -> (d0 + 14)>(%c0)
    %103 = affine.load %alloc[-%102 + 15] : memref<16xf32>
    %104 = affine.load %arg1[%arg3] : memref<?xf32>
    %105 = arith.addf %103, %104 : f32
    affine.store %105, %arg1[%arg3] : memref<?xf32>
    %106 = affine.apply affine_map<(d0) -> (d0 + 15)>(%c0)
    %107 = affine.load %alloc[-%106 + 15] : memref<16xf32>
    %108 = affine.load %arg1[%arg3] : memref<?xf32>
    %109 = arith.addf %107, %108 : f32
    affine.store %109, %arg1[%arg3] : memref<?xf32>
    memref.dealloc %alloc : memref<16xf32>
  }
  return
}
