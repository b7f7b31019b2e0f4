// complex.src.mlir by mlir-opt --convert-complex-to-standard
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/complex.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @values
// CHECK: {{^}}equivalent: @scale
module {
  func.func @values(%arg0: complex<f32>, %arg1: complex<f32>, %arg2: i1) -> (complex<f32>, f32, i1) {
    %0 = complex.re %arg0 : complex<f32>
    %1 = complex.im %arg0 : complex<f32>
    %2 = complex.re %arg1 : complex<f32>
    %3 = complex.im %arg1 : complex<f32>
    %4 = arith.mulf %0, %2 : f32
    %5 = arith.mulf %1, %3 : f32
    %6 = arith.subf %4, %5 : f32
    %7 = arith.mulf %1, %2 : f32
    %8 = arith.mulf %0, %3 : f32
    %9 = arith.addf %7, %8 : f32
    %10 = complex.create %6, %9 : complex<f32>
    %11 = complex.re %10 : complex<f32>
    %12 = complex.im %10 : complex<f32>
    %13 = complex.re %arg0 : complex<f32>
    %14 = complex.im %arg0 : complex<f32>
    %15 = arith.divf %13, %14 : f32
    %16 = arith.mulf %15, %13 : f32
    %17 = arith.addf %14, %16 : f32
    %18 = arith.mulf %11, %15 : f32
    %19 = arith.addf %18, %12 : f32
    %20 = arith.divf %19, %17 : f32
    %21 = arith.mulf %12, %15 : f32
    %22 = arith.subf %21, %11 : f32
    %23 = arith.divf %22, %17 : f32
    %24 = arith.divf %14, %13 : f32
    %25 = arith.mulf %24, %14 : f32
    %26 = arith.addf %13, %25 : f32
    %27 = arith.mulf %12, %24 : f32
    %28 = arith.addf %11, %27 : f32
    %29 = arith.divf %28, %26 : f32
    %30 = arith.mulf %11, %24 : f32
    %31 = arith.subf %12, %30 : f32
    %32 = arith.divf %31, %26 : f32
    %cst = arith.constant 0.000000e+00 : f32
    %33 = math.absf %13 : f32
    %34 = arith.cmpf oeq, %33, %cst : f32
    %35 = math.absf %14 : f32
    %36 = arith.cmpf oeq, %35, %cst : f32
    %37 = arith.cmpf ord, %11, %cst : f32
    %38 = arith.cmpf ord, %12, %cst : f32
    %39 = arith.ori %37, %38 : i1
    %40 = arith.andi %34, %36 : i1
    %41 = arith.andi %39, %40 : i1
    %cst_0 = arith.constant 0x7F800000 : f32
    %42 = math.copysign %cst_0, %13 : f32
    %43 = arith.mulf %42, %11 : f32
    %44 = arith.mulf %42, %12 : f32
    %45 = arith.cmpf one, %33, %cst_0 : f32
    %46 = arith.cmpf one, %35, %cst_0 : f32
    %47 = arith.andi %45, %46 : i1
    %48 = math.absf %11 : f32
    %49 = arith.cmpf oeq, %48, %cst_0 : f32
    %50 = math.absf %12 : f32
    %51 = arith.cmpf oeq, %50, %cst_0 : f32
    %52 = arith.ori %49, %51 : i1
    %53 = arith.andi %52, %47 : i1
    %cst_1 = arith.constant 1.000000e+00 : f32
    %54 = arith.select %49, %cst_1, %cst : f32
    %55 = math.copysign %54, %11 : f32
    %56 = arith.select %51, %cst_1, %cst : f32
    %57 = math.copysign %56, %12 : f32
    %58 = arith.mulf %55, %13 : f32
    %59 = arith.mulf %57, %14 : f32
    %60 = arith.addf %58, %59 : f32
    %61 = arith.mulf %cst_0, %60 : f32
    %62 = arith.mulf %55, %14 : f32
    %63 = arith.mulf %57, %13 : f32
    %64 = arith.subf %63, %62 : f32
    %65 = arith.mulf %cst_0, %64 : f32
    %66 = arith.cmpf one, %48, %cst_0 : f32
    %67 = arith.cmpf one, %50, %cst_0 : f32
    %68 = arith.andi %66, %67 : i1
    %69 = arith.cmpf oeq, %33, %cst_0 : f32
    %70 = arith.cmpf oeq, %35, %cst_0 : f32
    %71 = arith.ori %69, %70 : i1
    %72 = arith.andi %68, %71 : i1
    %73 = arith.select %69, %cst_1, %cst : f32
    %74 = math.copysign %73, %13 : f32
    %75 = arith.select %70, %cst_1, %cst : f32
    %76 = math.copysign %75, %14 : f32
    %77 = arith.mulf %11, %74 : f32
    %78 = arith.mulf %12, %76 : f32
    %79 = arith.addf %77, %78 : f32
    %80 = arith.mulf %cst, %79 : f32
    %81 = arith.mulf %12, %74 : f32
    %82 = arith.mulf %11, %76 : f32
    %83 = arith.subf %81, %82 : f32
    %84 = arith.mulf %cst, %83 : f32
    %85 = arith.cmpf olt, %33, %35 : f32
    %86 = arith.select %85, %20, %29 : f32
    %87 = arith.select %85, %23, %32 : f32
    %88 = arith.select %72, %80, %86 : f32
    %89 = arith.select %72, %84, %87 : f32
    %90 = arith.select %53, %61, %88 : f32
    %91 = arith.select %53, %65, %89 : f32
    %92 = arith.select %41, %43, %90 : f32
    %93 = arith.select %41, %44, %91 : f32
    %94 = arith.cmpf uno, %86, %cst : f32
    %95 = arith.cmpf uno, %87, %cst : f32
    %96 = arith.andi %94, %95 : i1
    %97 = arith.select %96, %92, %86 : f32
    %98 = arith.select %96, %93, %87 : f32
    %99 = complex.create %97, %98 : complex<f32>
    %100 = scf.if %arg2 -> (complex<f32>) {
      %121 = complex.re %99 : complex<f32>
      %122 = complex.im %99 : complex<f32>
      %cst_3 = arith.constant 0.000000e+00 : f32
      %cst_4 = arith.constant 5.000000e-01 : f32
      %cst_5 = arith.constant 0x7F800000 : f32
      %123 = math.exp %121 : f32
      %124 = arith.mulf %121, %cst_4 : f32
      %125 = math.exp %124 : f32
      %126 = math.cos %122 : f32
      %127 = math.sin %122 : f32
      %128 = arith.cmpf oeq, %123, %cst_5 : f32
      %129 = arith.cmpf oeq, %122, %cst_3 : f32
      %130 = arith.mulf %123, %126 : f32
      %131 = arith.mulf %125, %126 : f32
      %132 = arith.mulf %131, %125 : f32
      %133 = arith.select %128, %132, %130 : f32
      %134 = arith.mulf %123, %127 : f32
      %135 = arith.mulf %125, %127 : f32
      %136 = arith.mulf %135, %125 : f32
      %137 = arith.select %128, %136, %134 : f32
      %138 = arith.select %129, %cst_3, %137 : f32
      %139 = complex.create %133, %138 : complex<f32>
      scf.yield %139 : complex<f32>
    } else {
      %cst_3 = arith.constant 0.000000e+00 : f32
      %cst_4 = arith.constant 5.000000e-01 : f32
      %121 = complex.re %99 : complex<f32>
      %122 = complex.im %99 : complex<f32>
      %cst_5 = arith.constant 1.000000e+00 : f32
      %123 = math.absf %121 : f32
      %124 = math.absf %122 : f32
      %125 = arith.maximumf %123, %124 : f32
      %126 = arith.minimumf %123, %124 : f32
      %127 = arith.divf %126, %125 : f32
      %128 = arith.mulf %127, %127 : f32
      %129 = arith.addf %128, %cst_5 : f32
      %cst_6 = arith.constant 2.500000e-01 : f32
      %130 = math.sqrt %125 : f32
      %131 = math.powf %129, %cst_6 : f32
      %132 = arith.mulf %130, %131 : f32
      %133 = arith.cmpf uno, %132, %132 : f32
      %134 = arith.select %133, %126, %132 : f32
      %135 = math.atan2 %122, %121 : f32
      %136 = arith.mulf %135, %cst_4 : f32
      %137 = math.cos %136 : f32
      %138 = math.sin %136 : f32
      %139 = arith.cmpf oeq, %138, %cst_3 : f32
      %140 = arith.mulf %134, %137 : f32
      %141 = arith.mulf %134, %138 : f32
      %142 = arith.select %139, %cst_3, %141 : f32
      %cst_7 = arith.constant 0x7F800000 : f32
      %cst_8 = arith.constant 0xFF800000 : f32
      %cst_9 = arith.constant 0x7FC00000 : f32
      %143 = math.absf %122 : f32
      %144 = arith.cmpf oeq, %143, %cst_7 : f32
      %145 = arith.cmpf one, %143, %cst_7 : f32
      %146 = arith.cmpf oeq, %121, %cst_7 : f32
      %147 = arith.cmpf oeq, %121, %cst_8 : f32
      %148 = arith.andi %147, %145 : i1
      %149 = arith.select %148, %cst_3, %140 : f32
      %150 = arith.ori %144, %146 : i1
      %151 = arith.select %150, %cst_7, %149 : f32
      %152 = math.copysign %cst_7, %122 : f32
      %153 = arith.cmpf uno, %134, %134 : f32
      %154 = arith.select %153, %cst_9, %142 : f32
      %155 = arith.ori %144, %147 : i1
      %156 = arith.select %155, %152, %154 : f32
      %157 = arith.cmpf oeq, %134, %cst_3 : f32
      %158 = arith.select %157, %cst_3, %151 : f32
      %159 = arith.select %157, %cst_3, %156 : f32
      %160 = complex.create %158, %159 : complex<f32>
      scf.yield %160 : complex<f32>
    }
    %101 = complex.re %100 : complex<f32>
    %102 = complex.im %100 : complex<f32>
    %cst_2 = arith.constant 1.000000e+00 : f32
    %103 = math.absf %101 : f32
    %104 = math.absf %102 : f32
    %105 = arith.maximumf %103, %104 : f32
    %106 = arith.minimumf %103, %104 : f32
    %107 = arith.divf %106, %105 : f32
    %108 = arith.mulf %107, %107 : f32
    %109 = arith.addf %108, %cst_2 : f32
    %110 = math.sqrt %109 : f32
    %111 = arith.mulf %105, %110 : f32
    %112 = arith.cmpf uno, %111, %111 : f32
    %113 = arith.select %112, %106, %111 : f32
    %114 = complex.re %100 : complex<f32>
    %115 = complex.im %100 : complex<f32>
    %116 = complex.re %arg1 : complex<f32>
    %117 = complex.im %arg1 : complex<f32>
    %118 = arith.cmpf une, %114, %116 : f32
    %119 = arith.cmpf une, %115, %117 : f32
    %120 = arith.ori %118, %119 : i1
    return %100, %113, %120 : complex<f32>, f32, i1
  }
  func.func @scale(%arg0: memref<?x4xcomplex<f64>>, %arg1: complex<f64>) -> complex<f64> {
    %cst = complex.constant [0.000000e+00, 0.000000e+00] : complex<f64>
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x4xcomplex<f64>>
    %0 = affine.for %arg2 = 0 to %dim iter_args(%arg3 = %cst) -> (complex<f64>) {
      %1 = affine.for %arg4 = 0 to 4 iter_args(%arg5 = %arg3) -> (complex<f64>) {
        %2 = affine.load %arg0[%arg2, %arg4] : memref<?x4xcomplex<f64>>
        %3 = complex.re %2 : complex<f64>
        %4 = complex.im %2 : complex<f64>
        %5 = complex.re %arg1 : complex<f64>
        %6 = complex.im %arg1 : complex<f64>
        %7 = arith.mulf %3, %5 : f64
        %8 = arith.mulf %4, %6 : f64
        %9 = arith.subf %7, %8 : f64
        %10 = arith.mulf %4, %5 : f64
        %11 = arith.mulf %3, %6 : f64
        %12 = arith.addf %10, %11 : f64
        %13 = complex.create %9, %12 : complex<f64>
        affine.store %13, %arg0[%arg2, %arg4] : memref<?x4xcomplex<f64>>
        %14 = complex.re %13 : complex<f64>
        %15 = complex.im %13 : complex<f64>
        %16 = arith.negf %15 : f64
        %17 = complex.create %14, %16 : complex<f64>
        %18 = complex.re %arg5 : complex<f64>
        %19 = complex.re %17 : complex<f64>
        %20 = arith.addf %18, %19 : f64
        %21 = complex.im %arg5 : complex<f64>
        %22 = complex.im %17 : complex<f64>
        %23 = arith.addf %21, %22 : f64
        %24 = complex.create %20, %23 : complex<f64>
        affine.yield %24 : complex<f64>
      }
      affine.yield %1 : complex<f64>
    }
    return %0 : complex<f64>
  }
}

