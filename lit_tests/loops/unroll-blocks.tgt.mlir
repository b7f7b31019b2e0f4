// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2},lower-affine),convert-scf-to-cf,canonicalize)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --assume nonneg --func constant --func symbolic --func imperfect --func triangular --func substitution --func guarded --func carried --func local | FileCheck %s
// CHECK: {{^}}equivalent: @constant
// CHECK: {{^}}equivalent: @symbolic
// CHECK: {{^}}equivalent: @imperfect
// CHECK: {{^}}equivalent: @triangular
// CHECK: {{^}}equivalent: @substitution
// CHECK: {{^}}equivalent: @guarded
// CHECK: {{^}}equivalent: @carried
// CHECK: {{^}}equivalent: @local

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  %c2 = arith.constant 2 : index
  %c11 = arith.constant 11 : index
  %c6 = arith.constant 6 : index
  %c0 = arith.constant 0 : index
  %c13 = arith.constant 13 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb6
  %1 = arith.cmpi slt, %0, %c13 : index
  cf.cond_br %1, ^bb2(%c0 : index), ^bb7
^bb2(%2: index):  // 2 preds: ^bb1, ^bb5
  %3 = arith.cmpi slt, %2, %c11 : index
  cf.cond_br %3, ^bb3(%c0 : index), ^bb6
^bb3(%4: index):  // 2 preds: ^bb2, ^bb4
  %5 = arith.cmpi slt, %4, %c6 : index
  cf.cond_br %5, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %6 = memref.load %arg0[%0, %4] : memref<13x7xf32>
  %7 = memref.load %arg1[%4, %2] : memref<7x11xf32>
  %8 = memref.load %arg2[%0, %2] : memref<13x11xf32>
  %9 = arith.mulf %6, %7 : f32
  %10 = arith.addf %8, %9 : f32
  memref.store %10, %arg2[%0, %2] : memref<13x11xf32>
  %11 = arith.addi %4, %c1 : index
  %12 = memref.load %arg0[%0, %11] : memref<13x7xf32>
  %13 = memref.load %arg1[%11, %2] : memref<7x11xf32>
  %14 = memref.load %arg2[%0, %2] : memref<13x11xf32>
  %15 = arith.mulf %12, %13 : f32
  %16 = arith.addf %14, %15 : f32
  memref.store %16, %arg2[%0, %2] : memref<13x11xf32>
  %17 = arith.addi %4, %c2 : index
  cf.br ^bb3(%17 : index)
^bb5:  // pred: ^bb3
  %18 = memref.load %arg0[%0, %c6] : memref<13x7xf32>
  %19 = memref.load %arg1[%c6, %2] : memref<7x11xf32>
  %20 = memref.load %arg2[%0, %2] : memref<13x11xf32>
  %21 = arith.mulf %18, %19 : f32
  %22 = arith.addf %20, %21 : f32
  memref.store %22, %arg2[%0, %2] : memref<13x11xf32>
  %23 = arith.addi %2, %c1 : index
  cf.br ^bb2(%23 : index)
^bb6:  // pred: ^bb2
  %24 = arith.addi %0, %c1 : index
  cf.br ^bb1(%24 : index)
^bb7:  // pred: ^bb1
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  %c-1 = arith.constant -1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb10
  %1 = arith.cmpi slt, %0, %arg3 : index
  cf.cond_br %1, ^bb2(%c0 : index), ^bb11
^bb2(%2: index):  // 2 preds: ^bb1, ^bb9
  %3 = arith.cmpi slt, %2, %arg4 : index
  cf.cond_br %3, ^bb3, ^bb10
^bb3:  // pred: ^bb2
  %4 = arith.cmpi slt, %arg5, %c0 : index
  %5 = arith.subi %c-1, %arg5 : index
  %6 = arith.select %4, %5, %arg5 : index
  %7 = arith.divsi %6, %c2 : index
  %8 = arith.subi %c-1, %7 : index
  %9 = arith.select %4, %8, %7 : index
  %10 = arith.muli %9, %c2 overflow<nsw> : index
  cf.br ^bb4(%c0 : index)
^bb4(%11: index):  // 2 preds: ^bb3, ^bb5
  %12 = arith.cmpi slt, %11, %10 : index
  cf.cond_br %12, ^bb5, ^bb6
^bb5:  // pred: ^bb4
  %13 = memref.load %arg0[%0, %11] : memref<?x?xf32>
  %14 = memref.load %arg1[%11, %2] : memref<?x?xf32>
  %15 = memref.load %arg2[%0, %2] : memref<?x?xf32>
  %16 = arith.mulf %13, %14 : f32
  %17 = arith.addf %15, %16 : f32
  memref.store %17, %arg2[%0, %2] : memref<?x?xf32>
  %18 = arith.addi %11, %c1 : index
  %19 = memref.load %arg0[%0, %18] : memref<?x?xf32>
  %20 = memref.load %arg1[%18, %2] : memref<?x?xf32>
  %21 = memref.load %arg2[%0, %2] : memref<?x?xf32>
  %22 = arith.mulf %19, %20 : f32
  %23 = arith.addf %21, %22 : f32
  memref.store %23, %arg2[%0, %2] : memref<?x?xf32>
  %24 = arith.addi %11, %c2 : index
  cf.br ^bb4(%24 : index)
^bb6:  // pred: ^bb4
  %25 = arith.cmpi slt, %arg5, %c0 : index
  %26 = arith.subi %c-1, %arg5 : index
  %27 = arith.select %25, %26, %arg5 : index
  %28 = arith.divsi %27, %c2 : index
  %29 = arith.subi %c-1, %28 : index
  %30 = arith.select %25, %29, %28 : index
  %31 = arith.muli %30, %c2 overflow<nsw> : index
  cf.br ^bb7(%31 : index)
^bb7(%32: index):  // 2 preds: ^bb6, ^bb8
  %33 = arith.cmpi slt, %32, %arg5 : index
  cf.cond_br %33, ^bb8, ^bb9
^bb8:  // pred: ^bb7
  %34 = memref.load %arg0[%0, %32] : memref<?x?xf32>
  %35 = memref.load %arg1[%32, %2] : memref<?x?xf32>
  %36 = memref.load %arg2[%0, %2] : memref<?x?xf32>
  %37 = arith.mulf %34, %35 : f32
  %38 = arith.addf %36, %37 : f32
  memref.store %38, %arg2[%0, %2] : memref<?x?xf32>
  %39 = arith.addi %32, %c1 : index
  cf.br ^bb7(%39 : index)
^bb9:  // pred: ^bb7
  %40 = arith.addi %2, %c1 : index
  cf.br ^bb2(%40 : index)
^bb10:  // pred: ^bb2
  %41 = arith.addi %0, %c1 : index
  cf.br ^bb1(%41 : index)
^bb11:  // pred: ^bb1
  return
}

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %c-1 = arith.constant -1 : index
  %c2 = arith.constant 2 : index
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
  %1 = arith.cmpi slt, %0, %arg3 : index
  cf.cond_br %1, ^bb2, ^bb9
^bb2:  // pred: ^bb1
  memref.store %cst, %arg2[%0] : memref<?xf32>
  %2 = arith.cmpi slt, %arg4, %c0 : index
  %3 = arith.subi %c-1, %arg4 : index
  %4 = arith.select %2, %3, %arg4 : index
  %5 = arith.divsi %4, %c2 : index
  %6 = arith.subi %c-1, %5 : index
  %7 = arith.select %2, %6, %5 : index
  %8 = arith.muli %7, %c2 overflow<nsw> : index
  cf.br ^bb3(%c0 : index)
^bb3(%9: index):  // 2 preds: ^bb2, ^bb4
  %10 = arith.cmpi slt, %9, %8 : index
  cf.cond_br %10, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %11 = memref.load %arg0[%0, %9] : memref<?x?xf32>
  %12 = memref.load %arg1[%9] : memref<?xf32>
  %13 = memref.load %arg2[%0] : memref<?xf32>
  %14 = arith.mulf %11, %12 : f32
  %15 = arith.addf %13, %14 : f32
  memref.store %15, %arg2[%0] : memref<?xf32>
  %16 = arith.addi %9, %c1 : index
  %17 = memref.load %arg0[%0, %16] : memref<?x?xf32>
  %18 = memref.load %arg1[%16] : memref<?xf32>
  %19 = memref.load %arg2[%0] : memref<?xf32>
  %20 = arith.mulf %17, %18 : f32
  %21 = arith.addf %19, %20 : f32
  memref.store %21, %arg2[%0] : memref<?xf32>
  %22 = arith.addi %9, %c2 : index
  cf.br ^bb3(%22 : index)
^bb5:  // pred: ^bb3
  %23 = arith.cmpi slt, %arg4, %c0 : index
  %24 = arith.subi %c-1, %arg4 : index
  %25 = arith.select %23, %24, %arg4 : index
  %26 = arith.divsi %25, %c2 : index
  %27 = arith.subi %c-1, %26 : index
  %28 = arith.select %23, %27, %26 : index
  %29 = arith.muli %28, %c2 overflow<nsw> : index
  cf.br ^bb6(%29 : index)
^bb6(%30: index):  // 2 preds: ^bb5, ^bb7
  %31 = arith.cmpi slt, %30, %arg4 : index
  cf.cond_br %31, ^bb7, ^bb8
^bb7:  // pred: ^bb6
  %32 = memref.load %arg0[%0, %30] : memref<?x?xf32>
  %33 = memref.load %arg1[%30] : memref<?xf32>
  %34 = memref.load %arg2[%0] : memref<?xf32>
  %35 = arith.mulf %32, %33 : f32
  %36 = arith.addf %34, %35 : f32
  memref.store %36, %arg2[%0] : memref<?xf32>
  %37 = arith.addi %30, %c1 : index
  cf.br ^bb6(%37 : index)
^bb8:  // pred: ^bb6
  %38 = memref.load %arg2[%0] : memref<?xf32>
  %39 = arith.addf %38, %38 : f32
  memref.store %39, %arg2[%0] : memref<?xf32>
  %40 = arith.addi %0, %c1 : index
  cf.br ^bb1(%40 : index)
^bb9:  // pred: ^bb1
  return
}

func.func @triangular(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c-2 = arith.constant -2 : index
  %c-1 = arith.constant -1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
  %1 = arith.cmpi slt, %0, %arg2 : index
  cf.cond_br %1, ^bb2, ^bb9
^bb2:  // pred: ^bb1
  %2 = arith.addi %0, %c1 : index
  %3 = arith.cmpi slt, %2, %c0 : index
  %4 = arith.subi %c-2, %0 : index
  %5 = arith.select %3, %4, %2 : index
  %6 = arith.divsi %5, %c2 : index
  %7 = arith.subi %c-1, %6 : index
  %8 = arith.select %3, %7, %6 : index
  %9 = arith.muli %8, %c2 overflow<nsw> : index
  cf.br ^bb3(%c0 : index)
^bb3(%10: index):  // 2 preds: ^bb2, ^bb4
  %11 = arith.cmpi slt, %10, %9 : index
  cf.cond_br %11, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %12 = memref.load %arg0[%0, %10] : memref<?x?xf32>
  %13 = memref.load %arg1[%10] : memref<?xf32>
  %14 = arith.addf %12, %13 : f32
  memref.store %14, %arg0[%0, %10] : memref<?x?xf32>
  %15 = arith.addi %10, %c1 : index
  %16 = memref.load %arg0[%0, %15] : memref<?x?xf32>
  %17 = memref.load %arg1[%15] : memref<?xf32>
  %18 = arith.addf %16, %17 : f32
  memref.store %18, %arg0[%0, %15] : memref<?x?xf32>
  %19 = arith.addi %10, %c2 : index
  cf.br ^bb3(%19 : index)
^bb5:  // pred: ^bb3
  %20 = arith.addi %0, %c1 : index
  %21 = arith.cmpi slt, %20, %c0 : index
  %22 = arith.subi %c-2, %0 : index
  %23 = arith.select %21, %22, %20 : index
  %24 = arith.divsi %23, %c2 : index
  %25 = arith.subi %c-1, %24 : index
  %26 = arith.select %21, %25, %24 : index
  %27 = arith.muli %26, %c2 overflow<nsw> : index
  %28 = arith.addi %0, %c1 : index
  cf.br ^bb6(%27 : index)
^bb6(%29: index):  // 2 preds: ^bb5, ^bb7
  %30 = arith.cmpi slt, %29, %28 : index
  cf.cond_br %30, ^bb7, ^bb8
^bb7:  // pred: ^bb6
  %31 = memref.load %arg0[%0, %29] : memref<?x?xf32>
  %32 = memref.load %arg1[%29] : memref<?xf32>
  %33 = arith.addf %31, %32 : f32
  memref.store %33, %arg0[%0, %29] : memref<?x?xf32>
  %34 = arith.addi %29, %c1 : index
  cf.br ^bb6(%34 : index)
^bb8:  // pred: ^bb6
  %35 = arith.addi %0, %c1 : index
  cf.br ^bb1(%35 : index)
^bb9:  // pred: ^bb1
  return
}

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %c-1 = arith.constant -1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
  %1 = arith.cmpi slt, %0, %arg3 : index
  cf.cond_br %1, ^bb2, ^bb9
^bb2:  // pred: ^bb1
  %2 = memref.load %arg1[%0] : memref<?xf32>
  memref.store %2, %arg2[%0] : memref<?xf32>
  %3 = arith.cmpi slt, %0, %c0 : index
  %4 = arith.subi %c-1, %0 : index
  %5 = arith.select %3, %4, %0 : index
  %6 = arith.divsi %5, %c2 : index
  %7 = arith.subi %c-1, %6 : index
  %8 = arith.select %3, %7, %6 : index
  %9 = arith.muli %8, %c2 overflow<nsw> : index
  cf.br ^bb3(%c0 : index)
^bb3(%10: index):  // 2 preds: ^bb2, ^bb4
  %11 = arith.cmpi slt, %10, %9 : index
  cf.cond_br %11, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %12 = memref.load %arg0[%0, %10] : memref<?x?xf32>
  %13 = memref.load %arg2[%10] : memref<?xf32>
  %14 = memref.load %arg2[%0] : memref<?xf32>
  %15 = arith.mulf %12, %13 : f32
  %16 = arith.subf %14, %15 : f32
  memref.store %16, %arg2[%0] : memref<?xf32>
  %17 = arith.addi %10, %c1 : index
  %18 = memref.load %arg0[%0, %17] : memref<?x?xf32>
  %19 = memref.load %arg2[%17] : memref<?xf32>
  %20 = memref.load %arg2[%0] : memref<?xf32>
  %21 = arith.mulf %18, %19 : f32
  %22 = arith.subf %20, %21 : f32
  memref.store %22, %arg2[%0] : memref<?xf32>
  %23 = arith.addi %10, %c2 : index
  cf.br ^bb3(%23 : index)
^bb5:  // pred: ^bb3
  %24 = arith.cmpi slt, %0, %c0 : index
  %25 = arith.subi %c-1, %0 : index
  %26 = arith.select %24, %25, %0 : index
  %27 = arith.divsi %26, %c2 : index
  %28 = arith.subi %c-1, %27 : index
  %29 = arith.select %24, %28, %27 : index
  %30 = arith.muli %29, %c2 overflow<nsw> : index
  cf.br ^bb6(%30 : index)
^bb6(%31: index):  // 2 preds: ^bb5, ^bb7
  %32 = arith.cmpi slt, %31, %0 : index
  cf.cond_br %32, ^bb7, ^bb8
^bb7:  // pred: ^bb6
  %33 = memref.load %arg0[%0, %31] : memref<?x?xf32>
  %34 = memref.load %arg2[%31] : memref<?xf32>
  %35 = memref.load %arg2[%0] : memref<?xf32>
  %36 = arith.mulf %33, %34 : f32
  %37 = arith.subf %35, %36 : f32
  memref.store %37, %arg2[%0] : memref<?xf32>
  %38 = arith.addi %31, %c1 : index
  cf.br ^bb6(%38 : index)
^bb8:  // pred: ^bb6
  %39 = memref.load %arg0[%0, %0] : memref<?x?xf32>
  %40 = memref.load %arg2[%0] : memref<?xf32>
  %41 = arith.divf %40, %39 : f32
  memref.store %41, %arg2[%0] : memref<?xf32>
  %42 = arith.addi %0, %c1 : index
  cf.br ^bb1(%42 : index)
^bb9:  // pred: ^bb1
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  %c-2 = arith.constant -2 : index
  %c-1 = arith.constant -1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb17
  %1 = arith.cmpi slt, %0, %arg2 : index
  cf.cond_br %1, ^bb2, ^bb18
^bb2:  // pred: ^bb1
  %2 = arith.cmpi slt, %arg2, %c0 : index
  %3 = arith.subi %c-1, %arg2 : index
  %4 = arith.select %2, %3, %arg2 : index
  %5 = arith.divsi %4, %c2 : index
  %6 = arith.subi %c-1, %5 : index
  %7 = arith.select %2, %6, %5 : index
  %8 = arith.muli %7, %c2 overflow<nsw> : index
  cf.br ^bb3(%c0 : index)
^bb3(%9: index):  // 2 preds: ^bb2, ^bb10
  %10 = arith.cmpi slt, %9, %8 : index
  cf.cond_br %10, ^bb4, ^bb11
^bb4:  // pred: ^bb3
  %11 = memref.load %arg0[%0, %9] : memref<?x?xf32>
  %12 = arith.subi %0, %9 : index
  %13 = arith.addi %12, %c-1 : index
  %14 = arith.cmpi sge, %13, %c0 : index
  cf.cond_br %14, ^bb5, ^bb6
^bb5:  // pred: ^bb4
  %15 = memref.load %arg1[%0, %9] : memref<?x?xf32>
  %16 = arith.addf %11, %15 : f32
  memref.store %16, %arg1[%0, %9] : memref<?x?xf32>
  cf.br ^bb7
^bb6:  // pred: ^bb4
  memref.store %11, %arg1[%0, %9] : memref<?x?xf32>
  cf.br ^bb7
^bb7:  // 2 preds: ^bb5, ^bb6
  %17 = arith.addi %9, %c1 : index
  %18 = memref.load %arg0[%0, %17] : memref<?x?xf32>
  %19 = arith.subi %0, %9 : index
  %20 = arith.addi %19, %c-2 : index
  %21 = arith.cmpi sge, %20, %c0 : index
  cf.cond_br %21, ^bb8, ^bb9
^bb8:  // pred: ^bb7
  %22 = memref.load %arg1[%0, %17] : memref<?x?xf32>
  %23 = arith.addf %18, %22 : f32
  memref.store %23, %arg1[%0, %17] : memref<?x?xf32>
  cf.br ^bb10
^bb9:  // pred: ^bb7
  memref.store %18, %arg1[%0, %17] : memref<?x?xf32>
  cf.br ^bb10
^bb10:  // 2 preds: ^bb8, ^bb9
  %24 = arith.addi %9, %c2 : index
  cf.br ^bb3(%24 : index)
^bb11:  // pred: ^bb3
  %25 = arith.cmpi slt, %arg2, %c0 : index
  %26 = arith.subi %c-1, %arg2 : index
  %27 = arith.select %25, %26, %arg2 : index
  %28 = arith.divsi %27, %c2 : index
  %29 = arith.subi %c-1, %28 : index
  %30 = arith.select %25, %29, %28 : index
  %31 = arith.muli %30, %c2 overflow<nsw> : index
  cf.br ^bb12(%31 : index)
^bb12(%32: index):  // 2 preds: ^bb11, ^bb16
  %33 = arith.cmpi slt, %32, %arg2 : index
  cf.cond_br %33, ^bb13, ^bb17
^bb13:  // pred: ^bb12
  %34 = memref.load %arg0[%0, %32] : memref<?x?xf32>
  %35 = arith.subi %0, %32 : index
  %36 = arith.addi %35, %c-1 : index
  %37 = arith.cmpi sge, %36, %c0 : index
  cf.cond_br %37, ^bb14, ^bb15
^bb14:  // pred: ^bb13
  %38 = memref.load %arg1[%0, %32] : memref<?x?xf32>
  %39 = arith.addf %34, %38 : f32
  memref.store %39, %arg1[%0, %32] : memref<?x?xf32>
  cf.br ^bb16
^bb15:  // pred: ^bb13
  memref.store %34, %arg1[%0, %32] : memref<?x?xf32>
  cf.br ^bb16
^bb16:  // 2 preds: ^bb14, ^bb15
  %40 = arith.addi %32, %c1 : index
  cf.br ^bb12(%40 : index)
^bb17:  // pred: ^bb12
  %41 = arith.addi %0, %c1 : index
  cf.br ^bb1(%41 : index)
^bb18:  // pred: ^bb1
  return
}

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

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb7
  %1 = arith.cmpi slt, %0, %arg2 : index
  cf.cond_br %1, ^bb2, ^bb8
^bb2:  // pred: ^bb1
  %alloc = memref.alloc() : memref<16xf32>
  cf.br ^bb3(%c0 : index)
^bb3(%2: index):  // 2 preds: ^bb2, ^bb4
  %3 = arith.cmpi slt, %2, %c16 : index
  cf.cond_br %3, ^bb4, ^bb5(%c0 : index)
^bb4:  // pred: ^bb3
  %4 = memref.load %arg0[%0, %2] : memref<?x?xf32>
  %5 = arith.mulf %4, %4 : f32
  memref.store %5, %alloc[%2] : memref<16xf32>
  %6 = arith.addi %2, %c1 : index
  %7 = memref.load %arg0[%0, %6] : memref<?x?xf32>
  %8 = arith.mulf %7, %7 : f32
  memref.store %8, %alloc[%6] : memref<16xf32>
  %9 = arith.addi %2, %c2 : index
  cf.br ^bb3(%9 : index)
^bb5(%10: index):  // 2 preds: ^bb3, ^bb6
  %11 = arith.cmpi slt, %10, %c16 : index
  cf.cond_br %11, ^bb6, ^bb7
^bb6:  // pred: ^bb5
  %12 = arith.subi %c15, %10 : index
  %13 = memref.load %alloc[%12] : memref<16xf32>
  %14 = memref.load %arg1[%0] : memref<?xf32>
  %15 = arith.addf %13, %14 : f32
  memref.store %15, %arg1[%0] : memref<?xf32>
  %16 = arith.subi %c14, %10 : index
  %17 = memref.load %alloc[%16] : memref<16xf32>
  %18 = memref.load %arg1[%0] : memref<?xf32>
  %19 = arith.addf %17, %18 : f32
  memref.store %19, %arg1[%0] : memref<?xf32>
  %20 = arith.addi %10, %c2 : index
  cf.br ^bb5(%20 : index)
^bb7:  // pred: ^bb5
  memref.dealloc %alloc : memref<16xf32>
  %21 = arith.addi %0, %c1 : index
  cf.br ^bb1(%21 : index)
^bb8:  // pred: ^bb1
  return
}
