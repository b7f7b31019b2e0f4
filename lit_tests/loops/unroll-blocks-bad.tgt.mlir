// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2},lower-affine),convert-scf-to-cf,canonicalize)', then changed by hand
// Verdict: not equivalent
// Changed: @carried: as the passes make it: the clean-up loop runs from a multiple of 2 below a negative bound
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func carried | FileCheck %s
// CHECK: {{^}}not equivalent: @carried

func.func @carried(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) -> f32 {
  %c-1 = arith.constant -1 : index
  %c2 = arith.constant 2 : index
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0, %cst : index, f32)
^bb1(%0: index, %1: f32):  // 2 preds: ^bb0, ^bb8
  %2 = arith.cmpi slt, %0, %arg2 : index
  cf.cond_br %2, ^bb2, ^bb9
^bb2:  // pred: ^bb1
  %3 = arith.cmpi slt, %arg3, %c0 : index
  %4 = arith.subi %c-1, %arg3 : index
  %5 = arith.select %3, %4, %arg3 : index
  %6 = arith.divsi %5, %c2 : index
  %7 = arith.subi %c-1, %6 : index
  %8 = arith.select %3, %7, %6 : index
  %9 = arith.muli %8, %c2 overflow<nsw> : index
  cf.br ^bb3(%c0, %1 : index, f32)
^bb3(%10: index, %11: f32):  // 2 preds: ^bb2, ^bb4
  %12 = arith.cmpi slt, %10, %9 : index
  cf.cond_br %12, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %13 = memref.load %arg0[%0, %10] : memref<?x?xf32>
  %14 = arith.addf %11, %13 : f32
  %15 = arith.addi %10, %c1 : index
  %16 = memref.load %arg0[%0, %15] : memref<?x?xf32>
  %17 = arith.addf %14, %16 : f32
  %18 = arith.addi %10, %c2 : index
  cf.br ^bb3(%18, %17 : index, f32)
^bb5:  // pred: ^bb3
  %19 = arith.cmpi slt, %arg3, %c0 : index
  %20 = arith.subi %c-1, %arg3 : index
  %21 = arith.select %19, %20, %arg3 : index
  %22 = arith.divsi %21, %c2 : index
  %23 = arith.subi %c-1, %22 : index
  %24 = arith.select %19, %23, %22 : index
  %25 = arith.muli %24, %c2 overflow<nsw> : index
  cf.br ^bb6(%25, %11 : index, f32)
^bb6(%26: index, %27: f32):  // 2 preds: ^bb5, ^bb7
  %28 = arith.cmpi slt, %26, %arg3 : index
  cf.cond_br %28, ^bb7, ^bb8
^bb7:  // pred: ^bb6
  %29 = memref.load %arg0[%0, %26] : memref<?x?xf32>
  %30 = arith.addf %27, %29 : f32
  %31 = arith.addi %26, %c1 : index
  cf.br ^bb6(%31, %30 : index, f32)
^bb8:  // pred: ^bb6
  memref.store %27, %arg1[%0] : memref<?xf32>
  %32 = arith.addi %0, %c1 : index
  cf.br ^bb1(%32, %27 : index, f32)
^bb9:  // pred: ^bb1
  return %1 : f32
}
