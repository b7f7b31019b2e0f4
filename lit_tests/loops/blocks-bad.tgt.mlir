// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine),convert-scf-to-cf,canonicalize)', then changed by hand
// Verdict: not equivalent
// Changed: @imperfect: one iteration more
// Changed: @triangular: the inner loop starts at the outer variable
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func imperfect --func triangular | FileCheck %s
// CHECK: {{^}}not equivalent: @imperfect
// CHECK: {{^}}not equivalent: @triangular

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
  %1 = arith.cmpi sle, %0, %arg3 : index
  cf.cond_br %1, ^bb2, ^bb6
^bb2:  // pred: ^bb1
  memref.store %cst, %arg2[%0] : memref<?xf32>
  cf.br ^bb3(%c0 : index)
^bb3(%2: index):  // 2 preds: ^bb2, ^bb4
  %3 = arith.cmpi slt, %2, %arg4 : index
  cf.cond_br %3, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %4 = memref.load %arg0[%0, %2] : memref<?x?xf32>
  %5 = memref.load %arg1[%2] : memref<?xf32>
  %6 = memref.load %arg2[%0] : memref<?xf32>
  %7 = arith.mulf %4, %5 : f32
  %8 = arith.addf %6, %7 : f32
  memref.store %8, %arg2[%0] : memref<?xf32>
  %9 = arith.addi %2, %c1 : index
  cf.br ^bb3(%9 : index)
^bb5:  // pred: ^bb3
  %10 = memref.load %arg2[%0] : memref<?xf32>
  %11 = arith.addf %10, %10 : f32
  memref.store %11, %arg2[%0] : memref<?xf32>
  %12 = arith.addi %0, %c1 : index
  cf.br ^bb1(%12 : index)
^bb6:  // pred: ^bb1
  return
}

func.func @triangular(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
  %1 = arith.cmpi slt, %0, %arg2 : index
  cf.cond_br %1, ^bb2, ^bb6
^bb2:  // pred: ^bb1
  %2 = arith.addi %0, %c1 : index
  cf.br ^bb3(%0 : index)
^bb3(%3: index):  // 2 preds: ^bb2, ^bb4
  %4 = arith.cmpi slt, %3, %2 : index
  cf.cond_br %4, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %5 = memref.load %arg0[%0, %3] : memref<?x?xf32>
  %6 = memref.load %arg1[%3] : memref<?xf32>
  %7 = arith.addf %5, %6 : f32
  memref.store %7, %arg0[%0, %3] : memref<?x?xf32>
  %8 = arith.addi %3, %c1 : index
  cf.br ^bb3(%8 : index)
^bb5:  // pred: ^bb3
  %9 = arith.addi %0, %c1 : index
  cf.br ^bb1(%9 : index)
^bb6:  // pred: ^bb1
  return
}
