// HEC, Figure 1: the constant moved into the loop
// RUN: %exits 0 hecv check %S/nand.src.mlir %s --engine dataflow | FileCheck %s
// RUN: %exits 0 hecv check %S/nand.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @nand
// SELF: {{^}}equivalent: @nand

func.func @nand(%A: memref<101xi1>, %B: memref<101xi1>, %C: memref<101xi1>) {
  affine.for %i = 0 to 101 {
    %true = arith.constant true
    %a = affine.load %A[%i] : memref<101xi1>
    %b = affine.load %B[%i] : memref<101xi1>
    %x = arith.andi %a, %b : i1
    %y = arith.xori %x, %true : i1
    affine.store %y, %C[%i] : memref<101xi1>
  }
  return
}
