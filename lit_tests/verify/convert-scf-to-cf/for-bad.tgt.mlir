// mlir-opt for.src.mlir --convert-scf-to-cf, then changed by hand
// Verdict: not equivalent
// Changed: line 14, the step is three; it was
//   %c2 = arith.constant 2 : index
// RUN: %exits 1 hecv check %S/for.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @sum
// SELF: {{^}}equivalent: @sum

module {
  func.func @sum(%arg0: memref<?xf32>, %arg1: index, %arg2: f32) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 3 : index
    cf.br ^bb1(%c0, %arg2 : index, f32)
  ^bb1(%0: index, %1: f32):  // 2 preds: ^bb0, ^bb2
    %2 = arith.cmpi slt, %0, %arg1 : index
    cf.cond_br %2, ^bb2, ^bb3
  ^bb2:  // pred: ^bb1
    %3 = memref.load %arg0[%0] : memref<?xf32>
    %4 = arith.addf %1, %3 : f32
    %5 = arith.addi %0, %c2 : index
    cf.br ^bb1(%5, %4 : index, f32)
  ^bb3:  // pred: ^bb1
    cf.br ^bb4(%c0 : index)
  ^bb4(%6: index):  // 2 preds: ^bb3, ^bb8
    %7 = arith.cmpi slt, %6, %arg1 : index
    cf.cond_br %7, ^bb5, ^bb9
  ^bb5:  // pred: ^bb4
    cf.br ^bb6(%c0 : index)
  ^bb6(%8: index):  // 2 preds: ^bb5, ^bb7
    %9 = arith.cmpi slt, %8, %6 : index
    cf.cond_br %9, ^bb7, ^bb8
  ^bb7:  // pred: ^bb6
    %10 = memref.load %arg0[%8] : memref<?xf32>
    memref.store %10, %arg0[%6] : memref<?xf32>
    %11 = arith.addi %8, %c1 : index
    cf.br ^bb6(%11 : index)
  ^bb8:  // pred: ^bb6
    %12 = arith.addi %6, %c1 : index
    cf.br ^bb4(%12 : index)
  ^bb9:  // pred: ^bb4
    return %1 : f32
  }
}
