// mlir-opt chosen-memrefs.src.mlir --convert-scf-to-cf
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/chosen-memrefs.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/chosen-memrefs.src.mlir %S/chosen-memrefs.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK-DAG: {{^}}equivalent: @chosen
// CHECK-DAG: {{^}}equivalent: @greater
// CHECK-DAG: {{^}}equivalent: @halves
// CHECK-DAG: {{^}}equivalent: @shift
// SELF-DAG: {{^}}equivalent: @chosen
// SELF-DAG: {{^}}equivalent: @greater
// SELF-DAG: {{^}}equivalent: @halves
// SELF-DAG: {{^}}equivalent: @shift

module {
  func.func @chosen(%arg0: i1, %arg1: memref<8xf32>, %arg2: memref<8xf32>, %arg3: f32) -> f32 {
    cf.cond_br %arg0, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    cf.br ^bb3(%arg1 : memref<8xf32>)
  ^bb2:  // pred: ^bb0
    cf.br ^bb3(%arg2 : memref<8xf32>)
  ^bb3(%0: memref<8xf32>):  // 2 preds: ^bb1, ^bb2
    cf.br ^bb4
  ^bb4:  // pred: ^bb3
    affine.for %arg4 = 0 to 8 {
      affine.store %arg3, %0[%arg4] : memref<8xf32>
    }
    %c0 = arith.constant 0 : index
    %1 = memref.load %0[%c0] : memref<8xf32>
    return %1 : f32
  }
  func.func @greater(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: memref<?xi1>, %arg3: index, %arg4: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0, %arg0, %arg1 : index, memref<8xf32>, memref<8xf32>)
  ^bb1(%0: index, %1: memref<8xf32>, %2: memref<8xf32>):  // 2 preds: ^bb0, ^bb2
    %3 = arith.cmpi slt, %0, %arg3 : index
    cf.cond_br %3, ^bb2, ^bb3
  ^bb2:  // pred: ^bb1
    %4 = memref.load %arg2[%0] : memref<?xi1>
    memref.store %arg4, %1[%c0] : memref<8xf32>
    %5 = arith.select %4, %1, %2 : memref<8xf32>
    %6 = arith.select %4, %2, %1 : memref<8xf32>
    %7 = arith.addi %0, %c1 : index
    cf.br ^bb1(%7, %6, %5 : index, memref<8xf32>, memref<8xf32>)
  ^bb3:  // pred: ^bb1
    memref.copy %1, %2 : memref<8xf32> to memref<8xf32>
    return
  }
  func.func @halves(%arg0: memref<8xi32>, %arg1: memref<8xi32>, %arg2: i32) {
    %c0 = arith.constant 0 : index
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    cf.br ^bb1(%c0_i32, %arg0, %arg1 : i32, memref<8xi32>, memref<8xi32>)
  ^bb1(%0: i32, %1: memref<8xi32>, %2: memref<8xi32>):  // 2 preds: ^bb0, ^bb2
    %3 = arith.cmpi slt, %0, %arg2 : i32
    cf.cond_br %3, ^bb2(%0, %2, %1 : i32, memref<8xi32>, memref<8xi32>), ^bb3
  ^bb2(%4: i32, %5: memref<8xi32>, %6: memref<8xi32>):  // pred: ^bb1
    %7 = arith.addi %4, %c1_i32 : i32
    memref.store %7, %5[%c0] : memref<8xi32>
    cf.br ^bb1(%7, %5, %6 : i32, memref<8xi32>, memref<8xi32>)
  ^bb3:  // pred: ^bb1
    memref.store %0, %2[%c0] : memref<8xi32>
    return
  }
  func.func @shift(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: f32, %arg3: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %alloc = memref.alloc() : memref<4xf32>
    linalg.fill ins(%arg2 : f32) outs(%alloc : memref<4xf32>)
    cf.br ^bb1(%c0, %arg0, %alloc : index, memref<4xf32>, memref<4xf32>)
  ^bb1(%0: index, %1: memref<4xf32>, %2: memref<4xf32>):  // 2 preds: ^bb0, ^bb2
    %3 = arith.cmpi slt, %0, %arg3 : index
    cf.cond_br %3, ^bb2, ^bb3
  ^bb2:  // pred: ^bb1
    %4 = vector.transfer_read %2[%c0], %arg2 : memref<4xf32>, vector<4xf32>
    %5 = arith.addf %4, %4 : vector<4xf32>
    vector.transfer_write %5, %1[%c0] : vector<4xf32>, memref<4xf32>
    %6 = arith.addi %0, %c1 : index
    cf.br ^bb1(%6, %2, %arg1 : index, memref<4xf32>, memref<4xf32>)
  ^bb3:  // pred: ^bb1
    memref.dealloc %alloc : memref<4xf32>
    return
  }
}

