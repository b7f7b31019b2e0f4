// parallel-flags.src.mlir, changed by hand: iterations in any order
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/parallel-flags.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/parallel-flags.src.mlir %S/parallel-flags.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @sum
func.func @sum(%A: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %a = memref.load %A[%i] : memref<?xf32>
    scf.reduce(%a : f32) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r fastmath<reassoc,nsz> : f32
      scf.reduce.return %s : f32
    }
  }
  return %sum : f32
}
