// mlir-opt softmax-twice.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=4 unroll-num-reps=2}))', then changed by hand
// Verdict: not equivalent
// Changed: line 127, a copy takes what the one before it took, and not what that one made; it was
//   %21 = arith.addf %16, %20 : f32
// RUN: %exits 1 hecv check %S/softmax-twice.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @softmax
// SELF: {{^}}equivalent: @softmax

#map = affine_map<()[s0] -> (((s0 floordiv 4) floordiv 4) * 16)>
#map1 = affine_map<(d0) -> (d0 + 1)>
#map2 = affine_map<(d0) -> (d0 + 2)>
#map3 = affine_map<(d0) -> (d0 + 3)>
#map4 = affine_map<(d0) -> (d0 + 4)>
#map5 = affine_map<(d0) -> (d0 + 8)>
#map6 = affine_map<(d0) -> (d0 + 12)>
#map7 = affine_map<()[s0] -> ((s0 floordiv 4) * 4)>
module {
  func.func @softmax(%arg0: memref<?x?xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %dim_1 = memref.dim %arg0, %c1 : memref<?x?xf32>
    affine.for %arg1 = 0 to %dim {
      %0 = affine.for %arg2 = 0 to #map()[%dim_1] step 16 iter_args(%arg3 = %cst_0) -> (f32) {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.maximumf %arg3, %8 : f32
        %10 = affine.apply #map1(%arg2)
        %11 = affine.load %arg0[%arg1, %10] : memref<?x?xf32>
        %12 = arith.maximumf %9, %11 : f32
        %13 = affine.apply #map2(%arg2)
        %14 = affine.load %arg0[%arg1, %13] : memref<?x?xf32>
        %15 = arith.maximumf %12, %14 : f32
        %16 = affine.apply #map3(%arg2)
        %17 = affine.load %arg0[%arg1, %16] : memref<?x?xf32>
        %18 = arith.maximumf %15, %17 : f32
        %19 = affine.apply #map4(%arg2)
        %20 = affine.load %arg0[%arg1, %19] : memref<?x?xf32>
        %21 = arith.maximumf %18, %20 : f32
        %22 = affine.apply #map1(%19)
        %23 = affine.load %arg0[%arg1, %22] : memref<?x?xf32>
        %24 = arith.maximumf %21, %23 : f32
        %25 = affine.apply #map2(%19)
        %26 = affine.load %arg0[%arg1, %25] : memref<?x?xf32>
        %27 = arith.maximumf %24, %26 : f32
        %28 = affine.apply #map3(%19)
        %29 = affine.load %arg0[%arg1, %28] : memref<?x?xf32>
        %30 = arith.maximumf %27, %29 : f32
        %31 = affine.apply #map5(%arg2)
        %32 = affine.load %arg0[%arg1, %31] : memref<?x?xf32>
        %33 = arith.maximumf %30, %32 : f32
        %34 = affine.apply #map1(%31)
        %35 = affine.load %arg0[%arg1, %34] : memref<?x?xf32>
        %36 = arith.maximumf %33, %35 : f32
        %37 = affine.apply #map2(%31)
        %38 = affine.load %arg0[%arg1, %37] : memref<?x?xf32>
        %39 = arith.maximumf %36, %38 : f32
        %40 = affine.apply #map3(%31)
        %41 = affine.load %arg0[%arg1, %40] : memref<?x?xf32>
        %42 = arith.maximumf %39, %41 : f32
        %43 = affine.apply #map6(%arg2)
        %44 = affine.load %arg0[%arg1, %43] : memref<?x?xf32>
        %45 = arith.maximumf %42, %44 : f32
        %46 = affine.apply #map1(%43)
        %47 = affine.load %arg0[%arg1, %46] : memref<?x?xf32>
        %48 = arith.maximumf %45, %47 : f32
        %49 = affine.apply #map2(%43)
        %50 = affine.load %arg0[%arg1, %49] : memref<?x?xf32>
        %51 = arith.maximumf %48, %50 : f32
        %52 = affine.apply #map3(%43)
        %53 = affine.load %arg0[%arg1, %52] : memref<?x?xf32>
        %54 = arith.maximumf %51, %53 : f32
        affine.yield %54 : f32
      }
      %1 = affine.for %arg2 = #map()[%dim_1] to #map7()[%dim_1] step 4 iter_args(%arg3 = %0) -> (f32) {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.maximumf %arg3, %8 : f32
        %10 = affine.apply #map1(%arg2)
        %11 = affine.load %arg0[%arg1, %10] : memref<?x?xf32>
        %12 = arith.maximumf %9, %11 : f32
        %13 = affine.apply #map2(%arg2)
        %14 = affine.load %arg0[%arg1, %13] : memref<?x?xf32>
        %15 = arith.maximumf %12, %14 : f32
        %16 = affine.apply #map3(%arg2)
        %17 = affine.load %arg0[%arg1, %16] : memref<?x?xf32>
        %18 = arith.maximumf %15, %17 : f32
        affine.yield %18 : f32
      }
      %2 = affine.for %arg2 = #map7()[%dim_1] to #map7()[%dim_1] step 4 iter_args(%arg3 = %1) -> (f32) {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.maximumf %arg3, %8 : f32
        %10 = affine.apply #map1(%arg2)
        %11 = affine.load %arg0[%arg1, %10] : memref<?x?xf32>
        %12 = arith.maximumf %9, %11 : f32
        %13 = affine.apply #map2(%arg2)
        %14 = affine.load %arg0[%arg1, %13] : memref<?x?xf32>
        %15 = arith.maximumf %12, %14 : f32
        %16 = affine.apply #map3(%arg2)
        %17 = affine.load %arg0[%arg1, %16] : memref<?x?xf32>
        %18 = arith.maximumf %15, %17 : f32
        affine.yield %18 : f32
      }
      %3 = affine.for %arg2 = #map7()[%dim_1] to %dim_1 iter_args(%arg3 = %2) -> (f32) {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.maximumf %arg3, %8 : f32
        affine.yield %9 : f32
      }
      %4 = affine.for %arg2 = 0 to #map()[%dim_1] step 16 iter_args(%arg3 = %cst) -> (f32) {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.subf %8, %3 : f32
        %10 = math.exp %9 : f32
        affine.store %10, %arg0[%arg1, %arg2] : memref<?x?xf32>
        %11 = arith.addf %arg3, %10 : f32
        %12 = affine.apply #map1(%arg2)
        %13 = affine.load %arg0[%arg1, %12] : memref<?x?xf32>
        %14 = arith.subf %13, %3 : f32
        %15 = math.exp %14 : f32
        affine.store %15, %arg0[%arg1, %12] : memref<?x?xf32>
        %16 = arith.addf %11, %15 : f32
        %17 = affine.apply #map2(%arg2)
        %18 = affine.load %arg0[%arg1, %17] : memref<?x?xf32>
        %19 = arith.subf %18, %3 : f32
        %20 = math.exp %19 : f32
        affine.store %20, %arg0[%arg1, %17] : memref<?x?xf32>
        %21 = arith.addf %11, %20 : f32
        %22 = affine.apply #map3(%arg2)
        %23 = affine.load %arg0[%arg1, %22] : memref<?x?xf32>
        %24 = arith.subf %23, %3 : f32
        %25 = math.exp %24 : f32
        affine.store %25, %arg0[%arg1, %22] : memref<?x?xf32>
        %26 = arith.addf %21, %25 : f32
        %27 = affine.apply #map4(%arg2)
        %28 = affine.load %arg0[%arg1, %27] : memref<?x?xf32>
        %29 = arith.subf %28, %3 : f32
        %30 = math.exp %29 : f32
        affine.store %30, %arg0[%arg1, %27] : memref<?x?xf32>
        %31 = arith.addf %26, %30 : f32
        %32 = affine.apply #map1(%27)
        %33 = affine.load %arg0[%arg1, %32] : memref<?x?xf32>
        %34 = arith.subf %33, %3 : f32
        %35 = math.exp %34 : f32
        affine.store %35, %arg0[%arg1, %32] : memref<?x?xf32>
        %36 = arith.addf %31, %35 : f32
        %37 = affine.apply #map2(%27)
        %38 = affine.load %arg0[%arg1, %37] : memref<?x?xf32>
        %39 = arith.subf %38, %3 : f32
        %40 = math.exp %39 : f32
        affine.store %40, %arg0[%arg1, %37] : memref<?x?xf32>
        %41 = arith.addf %36, %40 : f32
        %42 = affine.apply #map3(%27)
        %43 = affine.load %arg0[%arg1, %42] : memref<?x?xf32>
        %44 = arith.subf %43, %3 : f32
        %45 = math.exp %44 : f32
        affine.store %45, %arg0[%arg1, %42] : memref<?x?xf32>
        %46 = arith.addf %41, %45 : f32
        %47 = affine.apply #map5(%arg2)
        %48 = affine.load %arg0[%arg1, %47] : memref<?x?xf32>
        %49 = arith.subf %48, %3 : f32
        %50 = math.exp %49 : f32
        affine.store %50, %arg0[%arg1, %47] : memref<?x?xf32>
        %51 = arith.addf %46, %50 : f32
        %52 = affine.apply #map1(%47)
        %53 = affine.load %arg0[%arg1, %52] : memref<?x?xf32>
        %54 = arith.subf %53, %3 : f32
        %55 = math.exp %54 : f32
        affine.store %55, %arg0[%arg1, %52] : memref<?x?xf32>
        %56 = arith.addf %51, %55 : f32
        %57 = affine.apply #map2(%47)
        %58 = affine.load %arg0[%arg1, %57] : memref<?x?xf32>
        %59 = arith.subf %58, %3 : f32
        %60 = math.exp %59 : f32
        affine.store %60, %arg0[%arg1, %57] : memref<?x?xf32>
        %61 = arith.addf %56, %60 : f32
        %62 = affine.apply #map3(%47)
        %63 = affine.load %arg0[%arg1, %62] : memref<?x?xf32>
        %64 = arith.subf %63, %3 : f32
        %65 = math.exp %64 : f32
        affine.store %65, %arg0[%arg1, %62] : memref<?x?xf32>
        %66 = arith.addf %61, %65 : f32
        %67 = affine.apply #map6(%arg2)
        %68 = affine.load %arg0[%arg1, %67] : memref<?x?xf32>
        %69 = arith.subf %68, %3 : f32
        %70 = math.exp %69 : f32
        affine.store %70, %arg0[%arg1, %67] : memref<?x?xf32>
        %71 = arith.addf %66, %70 : f32
        %72 = affine.apply #map1(%67)
        %73 = affine.load %arg0[%arg1, %72] : memref<?x?xf32>
        %74 = arith.subf %73, %3 : f32
        %75 = math.exp %74 : f32
        affine.store %75, %arg0[%arg1, %72] : memref<?x?xf32>
        %76 = arith.addf %71, %75 : f32
        %77 = affine.apply #map2(%67)
        %78 = affine.load %arg0[%arg1, %77] : memref<?x?xf32>
        %79 = arith.subf %78, %3 : f32
        %80 = math.exp %79 : f32
        affine.store %80, %arg0[%arg1, %77] : memref<?x?xf32>
        %81 = arith.addf %76, %80 : f32
        %82 = affine.apply #map3(%67)
        %83 = affine.load %arg0[%arg1, %82] : memref<?x?xf32>
        %84 = arith.subf %83, %3 : f32
        %85 = math.exp %84 : f32
        affine.store %85, %arg0[%arg1, %82] : memref<?x?xf32>
        %86 = arith.addf %81, %85 : f32
        affine.yield %86 : f32
      }
      %5 = affine.for %arg2 = #map()[%dim_1] to #map7()[%dim_1] step 4 iter_args(%arg3 = %4) -> (f32) {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.subf %8, %3 : f32
        %10 = math.exp %9 : f32
        affine.store %10, %arg0[%arg1, %arg2] : memref<?x?xf32>
        %11 = arith.addf %arg3, %10 : f32
        %12 = affine.apply #map1(%arg2)
        %13 = affine.load %arg0[%arg1, %12] : memref<?x?xf32>
        %14 = arith.subf %13, %3 : f32
        %15 = math.exp %14 : f32
        affine.store %15, %arg0[%arg1, %12] : memref<?x?xf32>
        %16 = arith.addf %11, %15 : f32
        %17 = affine.apply #map2(%arg2)
        %18 = affine.load %arg0[%arg1, %17] : memref<?x?xf32>
        %19 = arith.subf %18, %3 : f32
        %20 = math.exp %19 : f32
        affine.store %20, %arg0[%arg1, %17] : memref<?x?xf32>
        %21 = arith.addf %16, %20 : f32
        %22 = affine.apply #map3(%arg2)
        %23 = affine.load %arg0[%arg1, %22] : memref<?x?xf32>
        %24 = arith.subf %23, %3 : f32
        %25 = math.exp %24 : f32
        affine.store %25, %arg0[%arg1, %22] : memref<?x?xf32>
        %26 = arith.addf %21, %25 : f32
        affine.yield %26 : f32
      }
      %6 = affine.for %arg2 = #map7()[%dim_1] to #map7()[%dim_1] step 4 iter_args(%arg3 = %5) -> (f32) {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.subf %8, %3 : f32
        %10 = math.exp %9 : f32
        affine.store %10, %arg0[%arg1, %arg2] : memref<?x?xf32>
        %11 = arith.addf %arg3, %10 : f32
        %12 = affine.apply #map1(%arg2)
        %13 = affine.load %arg0[%arg1, %12] : memref<?x?xf32>
        %14 = arith.subf %13, %3 : f32
        %15 = math.exp %14 : f32
        affine.store %15, %arg0[%arg1, %12] : memref<?x?xf32>
        %16 = arith.addf %11, %15 : f32
        %17 = affine.apply #map2(%arg2)
        %18 = affine.load %arg0[%arg1, %17] : memref<?x?xf32>
        %19 = arith.subf %18, %3 : f32
        %20 = math.exp %19 : f32
        affine.store %20, %arg0[%arg1, %17] : memref<?x?xf32>
        %21 = arith.addf %16, %20 : f32
        %22 = affine.apply #map3(%arg2)
        %23 = affine.load %arg0[%arg1, %22] : memref<?x?xf32>
        %24 = arith.subf %23, %3 : f32
        %25 = math.exp %24 : f32
        affine.store %25, %arg0[%arg1, %22] : memref<?x?xf32>
        %26 = arith.addf %21, %25 : f32
        affine.yield %26 : f32
      }
      %7 = affine.for %arg2 = #map7()[%dim_1] to %dim_1 iter_args(%arg3 = %6) -> (f32) {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.subf %8, %3 : f32
        %10 = math.exp %9 : f32
        affine.store %10, %arg0[%arg1, %arg2] : memref<?x?xf32>
        %11 = arith.addf %arg3, %10 : f32
        affine.yield %11 : f32
      }
      affine.for %arg2 = 0 to #map()[%dim_1] step 16 {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.divf %8, %7 : f32
        affine.store %9, %arg0[%arg1, %arg2] : memref<?x?xf32>
        %10 = affine.apply #map1(%arg2)
        %11 = affine.load %arg0[%arg1, %10] : memref<?x?xf32>
        %12 = arith.divf %11, %7 : f32
        affine.store %12, %arg0[%arg1, %10] : memref<?x?xf32>
        %13 = affine.apply #map2(%arg2)
        %14 = affine.load %arg0[%arg1, %13] : memref<?x?xf32>
        %15 = arith.divf %14, %7 : f32
        affine.store %15, %arg0[%arg1, %13] : memref<?x?xf32>
        %16 = affine.apply #map3(%arg2)
        %17 = affine.load %arg0[%arg1, %16] : memref<?x?xf32>
        %18 = arith.divf %17, %7 : f32
        affine.store %18, %arg0[%arg1, %16] : memref<?x?xf32>
        %19 = affine.apply #map4(%arg2)
        %20 = affine.load %arg0[%arg1, %19] : memref<?x?xf32>
        %21 = arith.divf %20, %7 : f32
        affine.store %21, %arg0[%arg1, %19] : memref<?x?xf32>
        %22 = affine.apply #map1(%19)
        %23 = affine.load %arg0[%arg1, %22] : memref<?x?xf32>
        %24 = arith.divf %23, %7 : f32
        affine.store %24, %arg0[%arg1, %22] : memref<?x?xf32>
        %25 = affine.apply #map2(%19)
        %26 = affine.load %arg0[%arg1, %25] : memref<?x?xf32>
        %27 = arith.divf %26, %7 : f32
        affine.store %27, %arg0[%arg1, %25] : memref<?x?xf32>
        %28 = affine.apply #map3(%19)
        %29 = affine.load %arg0[%arg1, %28] : memref<?x?xf32>
        %30 = arith.divf %29, %7 : f32
        affine.store %30, %arg0[%arg1, %28] : memref<?x?xf32>
        %31 = affine.apply #map5(%arg2)
        %32 = affine.load %arg0[%arg1, %31] : memref<?x?xf32>
        %33 = arith.divf %32, %7 : f32
        affine.store %33, %arg0[%arg1, %31] : memref<?x?xf32>
        %34 = affine.apply #map1(%31)
        %35 = affine.load %arg0[%arg1, %34] : memref<?x?xf32>
        %36 = arith.divf %35, %7 : f32
        affine.store %36, %arg0[%arg1, %34] : memref<?x?xf32>
        %37 = affine.apply #map2(%31)
        %38 = affine.load %arg0[%arg1, %37] : memref<?x?xf32>
        %39 = arith.divf %38, %7 : f32
        affine.store %39, %arg0[%arg1, %37] : memref<?x?xf32>
        %40 = affine.apply #map3(%31)
        %41 = affine.load %arg0[%arg1, %40] : memref<?x?xf32>
        %42 = arith.divf %41, %7 : f32
        affine.store %42, %arg0[%arg1, %40] : memref<?x?xf32>
        %43 = affine.apply #map6(%arg2)
        %44 = affine.load %arg0[%arg1, %43] : memref<?x?xf32>
        %45 = arith.divf %44, %7 : f32
        affine.store %45, %arg0[%arg1, %43] : memref<?x?xf32>
        %46 = affine.apply #map1(%43)
        %47 = affine.load %arg0[%arg1, %46] : memref<?x?xf32>
        %48 = arith.divf %47, %7 : f32
        affine.store %48, %arg0[%arg1, %46] : memref<?x?xf32>
        %49 = affine.apply #map2(%43)
        %50 = affine.load %arg0[%arg1, %49] : memref<?x?xf32>
        %51 = arith.divf %50, %7 : f32
        affine.store %51, %arg0[%arg1, %49] : memref<?x?xf32>
        %52 = affine.apply #map3(%43)
        %53 = affine.load %arg0[%arg1, %52] : memref<?x?xf32>
        %54 = arith.divf %53, %7 : f32
        affine.store %54, %arg0[%arg1, %52] : memref<?x?xf32>
      }
      affine.for %arg2 = #map()[%dim_1] to #map7()[%dim_1] step 4 {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.divf %8, %7 : f32
        affine.store %9, %arg0[%arg1, %arg2] : memref<?x?xf32>
        %10 = affine.apply #map1(%arg2)
        %11 = affine.load %arg0[%arg1, %10] : memref<?x?xf32>
        %12 = arith.divf %11, %7 : f32
        affine.store %12, %arg0[%arg1, %10] : memref<?x?xf32>
        %13 = affine.apply #map2(%arg2)
        %14 = affine.load %arg0[%arg1, %13] : memref<?x?xf32>
        %15 = arith.divf %14, %7 : f32
        affine.store %15, %arg0[%arg1, %13] : memref<?x?xf32>
        %16 = affine.apply #map3(%arg2)
        %17 = affine.load %arg0[%arg1, %16] : memref<?x?xf32>
        %18 = arith.divf %17, %7 : f32
        affine.store %18, %arg0[%arg1, %16] : memref<?x?xf32>
      }
      affine.for %arg2 = #map7()[%dim_1] to #map7()[%dim_1] step 4 {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.divf %8, %7 : f32
        affine.store %9, %arg0[%arg1, %arg2] : memref<?x?xf32>
        %10 = affine.apply #map1(%arg2)
        %11 = affine.load %arg0[%arg1, %10] : memref<?x?xf32>
        %12 = arith.divf %11, %7 : f32
        affine.store %12, %arg0[%arg1, %10] : memref<?x?xf32>
        %13 = affine.apply #map2(%arg2)
        %14 = affine.load %arg0[%arg1, %13] : memref<?x?xf32>
        %15 = arith.divf %14, %7 : f32
        affine.store %15, %arg0[%arg1, %13] : memref<?x?xf32>
        %16 = affine.apply #map3(%arg2)
        %17 = affine.load %arg0[%arg1, %16] : memref<?x?xf32>
        %18 = arith.divf %17, %7 : f32
        affine.store %18, %arg0[%arg1, %16] : memref<?x?xf32>
      }
      affine.for %arg2 = #map7()[%dim_1] to %dim_1 {
        %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf32>
        %9 = arith.divf %8, %7 : f32
        affine.store %9, %arg0[%arg1, %arg2] : memref<?x?xf32>
      }
    }
    return
  }
}

