// HEC, Figure 1: not (a and b) as (not a) or (not b)
// RUN: %exits 0 hecv check %S/nand.src.mlir %s --engine dataflow | FileCheck %s
// RUN: %exits 0 hecv check %S/nand.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 3 hecv check %S/nand.src.mlir %s --no-static-laws | FileCheck %s --check-prefix=WITHOUT
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @nand
// WITHOUT: {{^}}unknown: @nand
// SELF: {{^}}equivalent: @nand

func.func @nand(%A: memref<101xi1>, %B: memref<101xi1>, %C: memref<101xi1>) {
  %true = arith.constant true
  affine.for %i = 0 to 101 {
    %a = affine.load %A[%i] : memref<101xi1>
    %b = affine.load %B[%i] : memref<101xi1>
    %p = arith.xori %a, %true : i1
    %q = arith.xori %b, %true : i1
    %y = arith.ori %p, %q : i1
    affine.store %y, %C[%i] : memref<101xi1>
  }
  return
}
