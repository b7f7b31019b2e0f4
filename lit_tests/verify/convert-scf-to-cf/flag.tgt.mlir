// mlir-opt flag.src.mlir --convert-scf-to-cf
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/flag.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %S/flag.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %S/flag.src.mlir %S/flag.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @total

module {
  func.func @total(%arg0: memref<?xf64>, %arg1: index, %arg2: i1) -> f64 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f64
    cf.br ^bb1(%c0, %cst : index, f64)
  ^bb1(%0: index, %1: f64):  // 2 preds: ^bb0, ^bb10
    %2 = arith.cmpi slt, %0, %arg1 : index
    cf.cond_br %2, ^bb2, ^bb11
  ^bb2:  // pred: ^bb1
    %3 = memref.load %arg0[%0] : memref<?xf64>
    %4 = arith.cmpf ogt, %3, %cst : f64
    cf.cond_br %4, ^bb3, ^bb8
  ^bb3:  // pred: ^bb2
    cf.cond_br %arg2, ^bb4, ^bb5
  ^bb4:  // pred: ^bb3
    %5 = arith.addf %1, %3 : f64
    cf.br ^bb6(%5 : f64)
  ^bb5:  // pred: ^bb3
    cf.br ^bb6(%3 : f64)
  ^bb6(%6: f64):  // 2 preds: ^bb4, ^bb5
    cf.br ^bb7
  ^bb7:  // pred: ^bb6
    cf.br ^bb9(%6 : f64)
  ^bb8:  // pred: ^bb2
    cf.br ^bb9(%1 : f64)
  ^bb9(%7: f64):  // 2 preds: ^bb7, ^bb8
    cf.br ^bb10
  ^bb10:  // pred: ^bb9
    %8 = arith.addi %0, %c1 : index
    cf.br ^bb1(%8, %7 : index, f64)
  ^bb11:  // pred: ^bb1
    return %1 : f64
  }
}

