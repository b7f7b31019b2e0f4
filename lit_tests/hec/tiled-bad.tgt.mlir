// HEC, Figure 1: a tile of the wrong size: 3 elements, in steps of 4
// RUN: %exits 1 hecv check %S/nand.src.mlir %s --engine auto | FileCheck %s
// RUN: %exits 1 hecv check %S/nand.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @nand
// SELF: {{^}}equivalent: @nand

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 3, 101)>
module {
  func.func @nand(%arg0: memref<101xi1>, %arg1: memref<101xi1>, %arg2: memref<101xi1>) {
    %true = arith.constant true
    affine.for %arg3 = 0 to 101 step 4 {
      affine.for %arg4 = #map(%arg3) to min #map1(%arg3) {
        %0 = affine.load %arg0[%arg4] : memref<101xi1>
        %1 = affine.load %arg1[%arg4] : memref<101xi1>
        %2 = arith.andi %0, %1 : i1
        %3 = arith.xori %2, %true : i1
        affine.store %3, %arg2[%arg4] : memref<101xi1>
      }
    }
    return
  }
}
