// mlir-opt nested.src.mlir --convert-scf-to-cf --canonicalize
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/nested.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/nested.src.mlir %S/nested.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @nest
// SELF: {{^}}equivalent: @nest

module {
  func.func @nest(%arg0: memref<8x8xf32>, %arg1: index, %arg2: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
    %1 = arith.cmpi slt, %0, %c8 : index
    cf.cond_br %1, ^bb2(%c0 : index), ^bb9
  ^bb2(%2: index):  // 2 preds: ^bb1, ^bb7
    %3 = arith.cmpi slt, %2, %c8 : index
    cf.cond_br %3, ^bb3(%c0 : index), ^bb8
  ^bb3(%4: index):  // 2 preds: ^bb2, ^bb6
    %5 = arith.cmpi slt, %4, %2 : index
    cf.cond_br %5, ^bb4, ^bb7
  ^bb4:  // pred: ^bb3
    %6 = arith.cmpi slt, %4, %arg1 : index
    cf.cond_br %6, ^bb5, ^bb6
  ^bb5:  // pred: ^bb4
    %7 = memref.load %arg0[%0, %2] : memref<8x8xf32>
    %8 = arith.mulf %7, %arg2 : f32
    memref.store %8, %arg0[%0, %2] : memref<8x8xf32>
    cf.br ^bb6
  ^bb6:  // 2 preds: ^bb4, ^bb5
    %9 = arith.addi %4, %c1 : index
    cf.br ^bb3(%9 : index)
  ^bb7:  // pred: ^bb3
    %10 = arith.addi %2, %c1 : index
    cf.br ^bb2(%10 : index)
  ^bb8:  // pred: ^bb2
    %11 = arith.addi %0, %c1 : index
    cf.br ^bb1(%11 : index)
  ^bb9:  // pred: ^bb1
    return
  }
}
