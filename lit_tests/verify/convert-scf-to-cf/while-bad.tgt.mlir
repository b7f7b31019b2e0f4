// mlir-opt while.src.mlir --convert-scf-to-cf, then changed by hand
// Verdict: not equivalent
// Changed: line 17, one iteration more; it was
//   %2 = arith.cmpi sgt, %0, %c0 : index
// RUN: %exits 1 hecv check %S/while.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @down
// SELF: {{^}}equivalent: @down

module {
  func.func @down(%arg0: memref<?xi32>, %arg1: index) -> (i32, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_i32 = arith.constant 0 : i32
    cf.br ^bb1(%arg1, %c0_i32 : index, i32)
  ^bb1(%0: index, %1: i32):  // 2 preds: ^bb0, ^bb2
    %2 = arith.cmpi sge, %0, %c0 : index
    cf.cond_br %2, ^bb2(%0, %1 : index, i32), ^bb3
  ^bb2(%3: index, %4: i32):  // pred: ^bb1
    %5 = arith.subi %3, %c1 : index
    %6 = memref.load %arg0[%5] : memref<?xi32>
    %7 = arith.xori %4, %6 : i32
    cf.br ^bb1(%5, %7 : index, i32)
  ^bb3:  // pred: ^bb1
    %8 = arith.maxsi %0, %c0 : index
    memref.store %1, %arg0[%8] : memref<?xi32>
    return %1, %0 : i32, index
  }
}
