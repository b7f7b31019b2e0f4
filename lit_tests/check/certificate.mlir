// A proof is written down, and checked again without search: by identity, statement by statement, by normal form, by
// array dataflow, by Z3 of a loop that is copied out.
// RUN: split-file %s %t
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir --certificate %t/proof.json
// RUN: %exits 0 hecv replay %t/proof.json %t/src.mlir %t/tgt.mlir | FileCheck %s
// RUN: %exits 0 hecv replay %t/proof.json %t/src.mlir %t/tgt.mlir --solver cvc5 | FileCheck %s
// CHECK: accepted: refines
// CHECK-DAG: @same: equivalent, proof of kind 'identity'
// CHECK-DAG: @scalar: refines, proof of kind 'aligned'
// CHECK-DAG: @loop: equivalent, proof of kind 'form'
// CHECK-DAG: @both: equivalent, proof of kind 'dataflow'
// CHECK-DAG: @bits: equivalent, proof of kind 'via full-unrolling'

// It says nothing of other programs, and a changed one is none.
// RUN: %exits 1 hecv replay %t/proof.json %t/src.mlir %t/src.mlir | FileCheck %s --check-prefix=OTHER
// OTHER: rejected: programs: the target is not the one that was certified
// RUN: sed 's/"verdict":"refines"/"verdict":"equivalent"/' %t/proof.json > %t/changed.json
// RUN: %exits 2 hecv replay %t/changed.json %t/src.mlir %t/tgt.mlir 2>&1 | FileCheck %s --check-prefix=CHANGED
// CHANGED: error[no-certificate]:
// CHANGED: changed.json
// CHANGED: certificate: its digest

// Where there is no proof, or none that can be written down, the answer stands and nothing is written.
// RUN: %exits 1 hecv check %t/src.mlir %t/wrong.mlir --func scalar --certificate %t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not test -e %t/none.json
// NONE: warning[no-certificate]: no certificate was written: the verdict is{{[[:space:]]+}}not-equivalent, which has no proof

// In the same run.
// RUN: env HECV_REPLAY=1 %exits 0 hecv check %t/src.mlir %t/tgt.mlir

//--- src.mlir
func.func @same(%x: f32) -> f32 {
  %y = math.sin %x : f32
  return %y : f32
}
func.func @scalar(%a: i32, %b: i32) -> i32 {
  %c8 = arith.constant 8 : i32
  %s = arith.addi %a, %b overflow<nsw> : i32
  %d = arith.subi %a, %b : i32
  %p = arith.muli %s, %d : i32
  %q = arith.muli %p, %c8 : i32
  %r = arith.divui %q, %b : i32
  return %r : i32
}
func.func @loop(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %A[%i] : memref<?xf32>
    affine.store %x, %B[%i] : memref<?xf32>
  }
  return
}
func.func @both(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf32>
    affine.store %x, %B[%i] : memref<?xf32>
  }
  return
}
func.func @bits(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = arith.constant 32 : i32
  %r = scf.for %i = %zero to %end step %one iter_args(%a = %zero) -> i32 : i32 {
    %v = arith.shrui %x, %i : i32
    %l = arith.andi %v, %one : i32
    %b = arith.addi %a, %l : i32
    scf.yield %b : i32
  }
  return %r : i32
}

//--- tgt.mlir
func.func @same(%x: f32) -> f32 {
  %y = math.sin %x : f32
  return %y : f32
}
func.func @scalar(%a: i32, %b: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %x = arith.muli %a, %a : i32
  %y = arith.muli %b, %b : i32
  %p = arith.subi %x, %y : i32
  %q = arith.shli %p, %c3 : i32
  %r = arith.divui %q, %b : i32
  return %r : i32
}
func.func @loop(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n step 4 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%i)[%n] {
      %x = affine.load %A[%j] : memref<?xf32>
      affine.store %x, %B[%j] : memref<?xf32>
    }
  }
  return
}
func.func @both(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n { affine.store %x, %A[%i] : memref<?xf32> }
  affine.for %i = 0 to %n { affine.store %x, %B[%i] : memref<?xf32> }
  return
}
func.func @bits(%x: i32) -> i32 {
  %r = math.ctpop %x : i32
  return %r : i32
}

//--- wrong.mlir
func.func @scalar(%a: i32, %b: i32) -> i32 {
  %r = arith.divui %a, %b : i32
  return %r : i32
}
