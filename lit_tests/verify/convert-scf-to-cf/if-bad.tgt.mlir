// mlir-opt if.src.mlir --convert-scf-to-cf, then changed by hand
// Verdict: not equivalent
// Changed: line 26, the wrong branch; it was
//   %4 = arith.cmpi eq, %0, %c0 : index
// RUN: %exits 1 hecv check %S/if.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @choose
// SELF: {{^}}equivalent: @choose

module {
  func.func @choose(%arg0: memref<8xi32>, %arg1: index, %arg2: i32) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
    %1 = arith.cmpi slt, %0, %c8 : index
    cf.cond_br %1, ^bb2, ^bb9
  ^bb2:  // pred: ^bb1
    %2 = arith.cmpi slt, %0, %arg1 : index
    cf.cond_br %2, ^bb3, ^bb4
  ^bb3:  // pred: ^bb2
    %3 = memref.load %arg0[%0] : memref<8xi32>
    cf.br ^bb7(%3 : i32)
  ^bb4:  // pred: ^bb2
    %4 = arith.cmpi ne, %0, %c0 : index
    cf.cond_br %4, ^bb5, ^bb6
  ^bb5:  // pred: ^bb4
    memref.store %arg2, %arg0[%c0] : memref<8xi32>
    cf.br ^bb6
  ^bb6:  // 2 preds: ^bb4, ^bb5
    cf.br ^bb7(%arg2 : i32)
  ^bb7(%5: i32):  // 2 preds: ^bb3, ^bb6
    cf.br ^bb8
  ^bb8:  // pred: ^bb7
    %6 = arith.addi %5, %arg2 : i32
    memref.store %6, %arg0[%0] : memref<8xi32>
    %7 = arith.addi %0, %c1 : index
    cf.br ^bb1(%7 : index)
  ^bb9:  // pred: ^bb1
    %8 = memref.load %arg0[%c0] : memref<8xi32>
    return %8 : i32
  }
}
