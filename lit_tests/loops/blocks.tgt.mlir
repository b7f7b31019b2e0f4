// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine),convert-scf-to-cf,canonicalize)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --func constant --func symbolic --func imperfect --func triangular --func substitution --func trapezoid --func bounds --func guarded --func carried --func local --func stencil | FileCheck %s
// CHECK: {{^}}equivalent: @constant
// CHECK: {{^}}equivalent: @symbolic
// CHECK: {{^}}equivalent: @imperfect
// CHECK: {{^}}equivalent: @triangular
// CHECK: {{^}}equivalent: @substitution
// CHECK: {{^}}equivalent: @trapezoid
// CHECK: {{^}}equivalent: @bounds
// CHECK: {{^}}equivalent: @guarded
// CHECK: {{^}}equivalent: @carried
// CHECK: {{^}}equivalent: @local
// CHECK: {{^}}equivalent: @stencil

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
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
  %5 = arith.cmpi slt, %4, %c7 : index
  cf.cond_br %5, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %6 = memref.load %arg0[%0, %4] : memref<13x7xf32>
  %7 = memref.load %arg1[%4, %2] : memref<7x11xf32>
  %8 = memref.load %arg2[%0, %2] : memref<13x11xf32>
  %9 = arith.mulf %6, %7 : f32
  %10 = arith.addf %8, %9 : f32
  memref.store %10, %arg2[%0, %2] : memref<13x11xf32>
  %11 = arith.addi %4, %c1 : index
  cf.br ^bb3(%11 : index)
^bb5:  // pred: ^bb3
  %12 = arith.addi %2, %c1 : index
  cf.br ^bb2(%12 : index)
^bb6:  // pred: ^bb2
  %13 = arith.addi %0, %c1 : index
  cf.br ^bb1(%13 : index)
^bb7:  // pred: ^bb1
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb6
  %1 = arith.cmpi slt, %0, %arg3 : index
  cf.cond_br %1, ^bb2(%c0 : index), ^bb7
^bb2(%2: index):  // 2 preds: ^bb1, ^bb5
  %3 = arith.cmpi slt, %2, %arg4 : index
  cf.cond_br %3, ^bb3(%c0 : index), ^bb6
^bb3(%4: index):  // 2 preds: ^bb2, ^bb4
  %5 = arith.cmpi slt, %4, %arg5 : index
  cf.cond_br %5, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %6 = memref.load %arg0[%0, %4] : memref<?x?xf32>
  %7 = memref.load %arg1[%4, %2] : memref<?x?xf32>
  %8 = memref.load %arg2[%0, %2] : memref<?x?xf32>
  %9 = arith.mulf %6, %7 : f32
  %10 = arith.addf %8, %9 : f32
  memref.store %10, %arg2[%0, %2] : memref<?x?xf32>
  %11 = arith.addi %4, %c1 : index
  cf.br ^bb3(%11 : index)
^bb5:  // pred: ^bb3
  %12 = arith.addi %2, %c1 : index
  cf.br ^bb2(%12 : index)
^bb6:  // pred: ^bb2
  %13 = arith.addi %0, %c1 : index
  cf.br ^bb1(%13 : index)
^bb7:  // pred: ^bb1
  return
}

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
  %1 = arith.cmpi slt, %0, %arg3 : index
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
  cf.br ^bb3(%c0 : index)
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

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
  %1 = arith.cmpi slt, %0, %arg3 : index
  cf.cond_br %1, ^bb2, ^bb6
^bb2:  // pred: ^bb1
  %2 = memref.load %arg1[%0] : memref<?xf32>
  memref.store %2, %arg2[%0] : memref<?xf32>
  cf.br ^bb3(%c0 : index)
^bb3(%3: index):  // 2 preds: ^bb2, ^bb4
  %4 = arith.cmpi slt, %3, %0 : index
  cf.cond_br %4, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %5 = memref.load %arg0[%0, %3] : memref<?x?xf32>
  %6 = memref.load %arg2[%3] : memref<?xf32>
  %7 = memref.load %arg2[%0] : memref<?xf32>
  %8 = arith.mulf %5, %6 : f32
  %9 = arith.subf %7, %8 : f32
  memref.store %9, %arg2[%0] : memref<?xf32>
  %10 = arith.addi %3, %c1 : index
  cf.br ^bb3(%10 : index)
^bb5:  // pred: ^bb3
  %11 = memref.load %arg0[%0, %0] : memref<?x?xf32>
  %12 = memref.load %arg2[%0] : memref<?xf32>
  %13 = arith.divf %12, %11 : f32
  memref.store %13, %arg2[%0] : memref<?xf32>
  %14 = arith.addi %0, %c1 : index
  cf.br ^bb1(%14 : index)
^bb6:  // pred: ^bb1
  return
}

func.func @trapezoid(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %c4 = arith.constant 4 : index
  %c-3 = arith.constant -3 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
  %1 = arith.cmpi slt, %0, %arg3 : index
  cf.cond_br %1, ^bb2, ^bb6
^bb2:  // pred: ^bb1
  %2 = arith.addi %0, %c-3 : index
  %3 = arith.maxsi %2, %c0 : index
  %4 = arith.addi %0, %c4 : index
  %5 = arith.minsi %4, %arg3 : index
  cf.br ^bb3(%3 : index)
^bb3(%6: index):  // 2 preds: ^bb2, ^bb4
  %7 = arith.cmpi slt, %6, %5 : index
  cf.cond_br %7, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %8 = memref.load %arg0[%0, %6] : memref<?x?xf32>
  %9 = memref.load %arg1[%6] : memref<?xf32>
  %10 = memref.load %arg2[%0] : memref<?xf32>
  %11 = arith.mulf %8, %9 : f32
  %12 = arith.addf %10, %11 : f32
  memref.store %12, %arg2[%0] : memref<?xf32>
  %13 = arith.addi %6, %c1 : index
  cf.br ^bb3(%13 : index)
^bb5:  // pred: ^bb3
  %14 = arith.addi %0, %c1 : index
  cf.br ^bb1(%14 : index)
^bb6:  // pred: ^bb1
  return
}

func.func @bounds(%arg0: memref<?x?xf32>, %arg1: f32, %arg2: index, %arg3: index, %arg4: index, %arg5: index) {
  %c17 = arith.constant 17 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %0 = arith.maxsi %arg2, %arg3 : index
  %1 = arith.maxsi %0, %c0 : index
  %2 = arith.addi %arg5, %c2 : index
  %3 = arith.minsi %arg4, %2 : index
  cf.br ^bb1(%1 : index)
^bb1(%4: index):  // 2 preds: ^bb0, ^bb5
  %5 = arith.cmpi slt, %4, %3 : index
  cf.cond_br %5, ^bb2, ^bb6
^bb2:  // pred: ^bb1
  %6 = arith.muli %4, %c2 overflow<nsw> : index
  %7 = arith.minsi %arg5, %c17 : index
  %8 = arith.minsi %7, %6 : index
  cf.br ^bb3(%c0 : index)
^bb3(%9: index):  // 2 preds: ^bb2, ^bb4
  %10 = arith.cmpi slt, %9, %8 : index
  cf.cond_br %10, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %11 = memref.load %arg0[%4, %9] : memref<?x?xf32>
  %12 = arith.mulf %11, %arg1 : f32
  memref.store %12, %arg0[%4, %9] : memref<?x?xf32>
  %13 = arith.addi %9, %c1 : index
  cf.br ^bb3(%13 : index)
^bb5:  // pred: ^bb3
  %14 = arith.addi %4, %c1 : index
  cf.br ^bb1(%14 : index)
^bb6:  // pred: ^bb1
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb7
  %1 = arith.cmpi slt, %0, %arg2 : index
  cf.cond_br %1, ^bb2(%c0 : index), ^bb8
^bb2(%2: index):  // 2 preds: ^bb1, ^bb6
  %3 = arith.cmpi slt, %2, %arg2 : index
  cf.cond_br %3, ^bb3, ^bb7
^bb3:  // pred: ^bb2
  %4 = memref.load %arg0[%0, %2] : memref<?x?xf32>
  %5 = arith.subi %0, %2 : index
  %6 = arith.addi %5, %c-1 : index
  %7 = arith.cmpi sge, %6, %c0 : index
  cf.cond_br %7, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %8 = memref.load %arg1[%0, %2] : memref<?x?xf32>
  %9 = arith.addf %4, %8 : f32
  memref.store %9, %arg1[%0, %2] : memref<?x?xf32>
  cf.br ^bb6
^bb5:  // pred: ^bb3
  memref.store %4, %arg1[%0, %2] : memref<?x?xf32>
  cf.br ^bb6
^bb6:  // 2 preds: ^bb4, ^bb5
  %10 = arith.addi %2, %c1 : index
  cf.br ^bb2(%10 : index)
^bb7:  // pred: ^bb2
  %11 = arith.addi %0, %c1 : index
  cf.br ^bb1(%11 : index)
^bb8:  // pred: ^bb1
  return
}

func.func @carried(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) -> f32 {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0, %cst : index, f32)
^bb1(%0: index, %1: f32):  // 2 preds: ^bb0, ^bb4
  %2 = arith.cmpi slt, %0, %arg2 : index
  cf.cond_br %2, ^bb2(%c0, %1 : index, f32), ^bb5
^bb2(%3: index, %4: f32):  // 2 preds: ^bb1, ^bb3
  %5 = arith.cmpi slt, %3, %arg3 : index
  cf.cond_br %5, ^bb3, ^bb4
^bb3:  // pred: ^bb2
  %6 = memref.load %arg0[%0, %3] : memref<?x?xf32>
  %7 = arith.addf %4, %6 : f32
  %8 = arith.addi %3, %c1 : index
  cf.br ^bb2(%8, %7 : index, f32)
^bb4:  // pred: ^bb2
  memref.store %4, %arg1[%0] : memref<?xf32>
  %9 = arith.addi %0, %c1 : index
  cf.br ^bb1(%9, %4 : index, f32)
^bb5:  // pred: ^bb1
  return %1 : f32
}

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c15 = arith.constant 15 : index
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
  cf.br ^bb3(%6 : index)
^bb5(%7: index):  // 2 preds: ^bb3, ^bb6
  %8 = arith.cmpi slt, %7, %c16 : index
  cf.cond_br %8, ^bb6, ^bb7
^bb6:  // pred: ^bb5
  %9 = arith.subi %c15, %7 : index
  %10 = memref.load %alloc[%9] : memref<16xf32>
  %11 = memref.load %arg1[%0] : memref<?xf32>
  %12 = arith.addf %10, %11 : f32
  memref.store %12, %arg1[%0] : memref<?xf32>
  %13 = arith.addi %7, %c1 : index
  cf.br ^bb5(%13 : index)
^bb7:  // pred: ^bb5
  memref.dealloc %alloc : memref<16xf32>
  %14 = arith.addi %0, %c1 : index
  cf.br ^bb1(%14 : index)
^bb8:  // pred: ^bb1
  return
}

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^bb1(%c0 : index)
^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
  %1 = arith.cmpi slt, %0, %arg1 : index
  cf.cond_br %1, ^bb2, ^bb6
^bb2:  // pred: ^bb1
  %2 = arith.addi %arg2, %c-1 : index
  cf.br ^bb3(%c1 : index)
^bb3(%3: index):  // 2 preds: ^bb2, ^bb4
  %4 = arith.cmpi slt, %3, %2 : index
  cf.cond_br %4, ^bb4, ^bb5
^bb4:  // pred: ^bb3
  %5 = arith.addi %3, %c-1 : index
  %6 = memref.load %arg0[%5] : memref<?xf32>
  %7 = memref.load %arg0[%3] : memref<?xf32>
  %8 = arith.addi %3, %c1 : index
  %9 = memref.load %arg0[%8] : memref<?xf32>
  %10 = arith.addf %6, %7 : f32
  %11 = arith.addf %10, %9 : f32
  memref.store %11, %arg0[%3] : memref<?xf32>
  %12 = arith.addi %3, %c1 : index
  cf.br ^bb3(%12 : index)
^bb5:  // pred: ^bb3
  %13 = arith.addi %0, %c1 : index
  cf.br ^bb1(%13 : index)
^bb6:  // pred: ^bb1
  return
}
