// Written by hand: the nest parallel over blocks, the second loop a parallel reduction. Only loop theorems are asked: a
// parallel loop that does not race is a sequential one; an unsigned loop without negative bounds is read as a signed one.
// RUN: %exits 0 hecv check %S/parallel.src.mlir %s --engine theorems -v | FileCheck %s
// RUN: %exits 0 hecv check %s %S/parallel.src.mlir --engine theorems | FileCheck %s --check-prefix=BACK
// CHECK: {{^}}equivalent: @parallel (proved; {{[0-9]+}} runs; {{[0-9.]+}} s) by loop theorems
// CHECK: rule 'loop-sequential' (dynamic, proved)
// BACK: {{^}}equivalent: @parallel

func.func @parallel(%A: memref<40x50xf32>, %s: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %rows = arith.constant 40 : index
  %columns = arith.constant 50 : index
  %first = arith.constant 0.0 : f32
  scf.parallel (%i, %b) = (%zero, %zero) to (%rows, %columns) step (%one, %five) {
    scf.for unsigned %k = %zero to %five step %one {
      %j = arith.addi %b, %k : index
      %a = memref.load %A[%i, %j] : memref<40x50xf32>
      %c = arith.mulf %a, %s : f32
      memref.store %c, %A[%i, %j] : memref<40x50xf32>
    }
  }
  %r = scf.parallel (%i) = (%zero) to (%rows) step (%one) init (%first) -> f32 {
    %a = memref.load %A[%i, %zero] : memref<40x50xf32>
    scf.reduce(%a : f32) {
    ^bb0(%x: f32, %y: f32):
      %n = arith.maximumf %x, %y : f32
      scf.reduce.return %n : f32
    }
  }
  return %r : f32
}
