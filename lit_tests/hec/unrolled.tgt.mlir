// HEC, Figure 1: unrolled by 2
// RUN: %exits 0 hecv check %S/nand.src.mlir %s --engine dataflow | FileCheck %s
// RUN: %exits 0 hecv check %S/nand.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 3 hecv check %S/nand.src.mlir %s --no-dynamic-rules | FileCheck %s --check-prefix=WITHOUT
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @nand
// WITHOUT: {{^}}unknown: @nand
// SELF: {{^}}equivalent: @nand

#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @nand(%arg0: memref<101xi1>, %arg1: memref<101xi1>, %arg2: memref<101xi1>) {
    %c100 = arith.constant 100 : index
    %true = arith.constant true
    affine.for %arg3 = 0 to 100 step 2 {
      %4 = affine.load %arg0[%arg3] : memref<101xi1>
      %5 = affine.load %arg1[%arg3] : memref<101xi1>
      %6 = arith.andi %4, %5 : i1
      %7 = arith.xori %6, %true : i1
      affine.store %7, %arg2[%arg3] : memref<101xi1>
      %8 = affine.apply #map(%arg3)
      %9 = affine.load %arg0[%8] : memref<101xi1>
      %10 = affine.load %arg1[%8] : memref<101xi1>
      %11 = arith.andi %9, %10 : i1
      %12 = arith.xori %11, %true : i1
      affine.store %12, %arg2[%8] : memref<101xi1>
    }
    %0 = affine.load %arg0[%c100] : memref<101xi1>
    %1 = affine.load %arg1[%c100] : memref<101xi1>
    %2 = arith.andi %0, %1 : i1
    %3 = arith.xori %2, %true : i1
    affine.store %3, %arg2[%c100] : memref<101xi1>
    return
  }
}
