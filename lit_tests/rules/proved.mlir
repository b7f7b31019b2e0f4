// A law that the book lacks proves what the book does not, and Z3 is not asked of terms so large; the verdict names
// it. Sweeping, which knows no rules of users, is left out.
// RUN: split-file %s %t
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir --engine dataflow --rules %S/Inputs/even_product.py -v | FileCheck %s
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir --engine dataflow --rules %S/Inputs/even_product.py --format json | FileCheck %s --check-prefix=JSON
// CHECK: {{^}}equivalent: @f (proved;
// CHECK: rule 'even-product' (static, proved)
// JSON: "name": "even-product"
// JSON-NEXT: "kind": "static"
// JSON-NEXT: "uses":
// JSON-NEXT: "evidence": "proved"

// Without it nothing is known.
// RUN: %exits 3 hecv check %t/src.mlir %t/tgt.mlir --engine dataflow | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: {{^}}unknown: @f

// The other way round, as one law among several files.
// RUN: %exits 0 hecv check %t/tgt.mlir %t/src.mlir --engine dataflow --rules %S/Inputs/cosine.py --rules %S/Inputs/even_product.py | FileCheck %s --check-prefix=BACK
// BACK: {{^}}equivalent: @f (proved;

//--- src.mlir
func.func @f(%a0: i32, %b: i32) -> i32 {
  %one = arith.constant 1 : i32
  %x0 = arith.addi %a0, %one : i32
  %y0 = arith.muli %a0, %x0 : i32
  %z0 = arith.andi %y0, %one : i32
  %w0 = arith.xori %a0, %z0 : i32
  %a1 = arith.addi %w0, %b : i32
  %x1 = arith.addi %a1, %one : i32
  %y1 = arith.muli %a1, %x1 : i32
  %z1 = arith.andi %y1, %one : i32
  %w1 = arith.xori %a1, %z1 : i32
  %a2 = arith.addi %w1, %b : i32
  %x2 = arith.addi %a2, %one : i32
  %y2 = arith.muli %a2, %x2 : i32
  %z2 = arith.andi %y2, %one : i32
  %w2 = arith.xori %a2, %z2 : i32
  %a3 = arith.addi %w2, %b : i32
  %x3 = arith.addi %a3, %one : i32
  %y3 = arith.muli %a3, %x3 : i32
  %z3 = arith.andi %y3, %one : i32
  %w3 = arith.xori %a3, %z3 : i32
  %a4 = arith.addi %w3, %b : i32
  %x4 = arith.addi %a4, %one : i32
  %y4 = arith.muli %a4, %x4 : i32
  %z4 = arith.andi %y4, %one : i32
  %w4 = arith.xori %a4, %z4 : i32
  %a5 = arith.addi %w4, %b : i32
  %x5 = arith.addi %a5, %one : i32
  %y5 = arith.muli %a5, %x5 : i32
  %z5 = arith.andi %y5, %one : i32
  %w5 = arith.xori %a5, %z5 : i32
  %a6 = arith.addi %w5, %b : i32
  %x6 = arith.addi %a6, %one : i32
  %y6 = arith.muli %a6, %x6 : i32
  %z6 = arith.andi %y6, %one : i32
  %w6 = arith.xori %a6, %z6 : i32
  %a7 = arith.addi %w6, %b : i32
  %x7 = arith.addi %a7, %one : i32
  %y7 = arith.muli %a7, %x7 : i32
  %z7 = arith.andi %y7, %one : i32
  %w7 = arith.xori %a7, %z7 : i32
  %a8 = arith.addi %w7, %b : i32
  %x8 = arith.addi %a8, %one : i32
  %y8 = arith.muli %a8, %x8 : i32
  %z8 = arith.andi %y8, %one : i32
  %w8 = arith.xori %a8, %z8 : i32
  %a9 = arith.addi %w8, %b : i32
  %x9 = arith.addi %a9, %one : i32
  %y9 = arith.muli %a9, %x9 : i32
  %z9 = arith.andi %y9, %one : i32
  %w9 = arith.xori %a9, %z9 : i32
  %a10 = arith.addi %w9, %b : i32
  %x10 = arith.addi %a10, %one : i32
  %y10 = arith.muli %a10, %x10 : i32
  %z10 = arith.andi %y10, %one : i32
  %w10 = arith.xori %a10, %z10 : i32
  %a11 = arith.addi %w10, %b : i32
  %x11 = arith.addi %a11, %one : i32
  %y11 = arith.muli %a11, %x11 : i32
  %z11 = arith.andi %y11, %one : i32
  %w11 = arith.xori %a11, %z11 : i32
  %a12 = arith.addi %w11, %b : i32
  %x12 = arith.addi %a12, %one : i32
  %y12 = arith.muli %a12, %x12 : i32
  %z12 = arith.andi %y12, %one : i32
  %w12 = arith.xori %a12, %z12 : i32
  %a13 = arith.addi %w12, %b : i32
  return %a13 : i32
}

//--- tgt.mlir
func.func @f(%a0: i32, %b: i32) -> i32 {
  %a1 = arith.addi %a0, %b : i32
  %a2 = arith.addi %a1, %b : i32
  %a3 = arith.addi %a2, %b : i32
  %a4 = arith.addi %a3, %b : i32
  %a5 = arith.addi %a4, %b : i32
  %a6 = arith.addi %a5, %b : i32
  %a7 = arith.addi %a6, %b : i32
  %a8 = arith.addi %a7, %b : i32
  %a9 = arith.addi %a8, %b : i32
  %a10 = arith.addi %a9, %b : i32
  %a11 = arith.addi %a10, %b : i32
  %a12 = arith.addi %a11, %b : i32
  %a13 = arith.addi %a12, %b : i32
  return %a13 : i32
}
