// mlir-opt symbolic-deep.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-coalescing,lower-affine,canonicalize,cse))'
// Verdict: equivalent if no trip count is negative
// RUN: %exits 0 hecv check %S/symbolic-deep.src.mlir %s --assume nonneg | FileCheck %s
// RUN: %exits 1 hecv check %S/symbolic-deep.src.mlir %s | FileCheck %s --check-prefix=ANY
// RUN: %exits 0 hecv check %S/symbolic-deep.src.mlir %S/symbolic-deep.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s --assume nonneg | FileCheck %s
// CHECK: {{^}}equivalent: @gather
// ANY: {{^}}not equivalent: @gather

module {
  func.func @gather(%arg0: memref<?x?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index, %arg3: index, %arg4: index, %arg5: index, %arg6: index) {
    %c2 = arith.constant 2 : index
    %c-1 = arith.constant -1 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %0 = arith.muli %arg3, %arg2 overflow<nsw> : index
    %1 = arith.muli %0, %arg4 overflow<nsw> : index
    %2 = arith.muli %1, %arg5 overflow<nsw> : index
    %3 = arith.muli %2, %arg6 overflow<nsw> : index
    scf.for %arg7 = %c0 to %3 step %c1 {
      %4 = arith.remsi %arg7, %arg6 : index
      %5 = arith.cmpi slt, %4, %c0 : index
      %6 = arith.addi %4, %arg6 : index
      %7 = arith.select %5, %6, %4 : index
      %8 = arith.cmpi slt, %arg7, %c0 : index
      %9 = arith.subi %c-1, %arg7 : index
      %10 = arith.select %8, %9, %arg7 : index
      %11 = arith.divsi %10, %arg6 : index
      %12 = arith.subi %c-1, %11 : index
      %13 = arith.select %8, %12, %11 : index
      %14 = arith.remsi %13, %arg5 : index
      %15 = arith.cmpi slt, %14, %c0 : index
      %16 = arith.addi %14, %arg5 : index
      %17 = arith.select %15, %16, %14 : index
      %18 = arith.cmpi slt, %13, %c0 : index
      %19 = arith.subi %c-1, %13 : index
      %20 = arith.select %18, %19, %13 : index
      %21 = arith.divsi %20, %arg5 : index
      %22 = arith.subi %c-1, %21 : index
      %23 = arith.select %18, %22, %21 : index
      %24 = arith.remsi %23, %arg4 : index
      %25 = arith.cmpi slt, %24, %c0 : index
      %26 = arith.addi %24, %arg4 : index
      %27 = arith.select %25, %26, %24 : index
      %28 = arith.cmpi slt, %23, %c0 : index
      %29 = arith.subi %c-1, %23 : index
      %30 = arith.select %28, %29, %23 : index
      %31 = arith.divsi %30, %arg4 : index
      %32 = arith.subi %c-1, %31 : index
      %33 = arith.select %28, %32, %31 : index
      %34 = arith.remsi %33, %arg3 : index
      %35 = arith.cmpi slt, %34, %c0 : index
      %36 = arith.addi %34, %arg3 : index
      %37 = arith.select %35, %36, %34 : index
      %38 = arith.cmpi slt, %33, %c0 : index
      %39 = arith.subi %c-1, %33 : index
      %40 = arith.select %38, %39, %33 : index
      %41 = arith.divsi %40, %arg3 : index
      %42 = arith.subi %c-1, %41 : index
      %43 = arith.select %38, %42, %41 : index
      %44 = arith.muli %43, %c2 overflow<nsw> : index
      %45 = arith.subi %44, %17 : index
      %46 = arith.addi %45, %arg5 : index
      %47 = arith.addi %46, %c-1 : index
      %48 = arith.muli %37, %c2 overflow<nsw> : index
      %49 = arith.subi %48, %7 : index
      %50 = arith.addi %49, %arg6 : index
      %51 = arith.addi %50, %c-1 : index
      %52 = memref.load %arg0[%27, %47, %51] : memref<?x?x?xf32>
      %53 = memref.load %arg1[%43, %37] : memref<?x?xf32>
      %54 = arith.addf %53, %52 : f32
      memref.store %54, %arg1[%43, %37] : memref<?x?xf32>
    }
    return
  }
}

