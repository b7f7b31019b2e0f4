// `loop-invariant-subset-hoisting` reads before the loop what each iteration reads, and writes it back behind: out of
// bounds where the tensor has no row, and the loop does not run.
//
// RUN: mlir-opt %s -loop-invariant-subset-hoisting -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s

// CHECK: not equivalent: @row
// CHECK: source returns
// CHECK: target undefined: out of bounds: index 0 of dimension 0, extent 0
func.func @row(%t: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> tensor<?x?xf32> {
    %v = vector.transfer_read %x[%c0, %c0], %z : tensor<?x?xf32>, vector<2xf32>
    %w = arith.addf %v, %v : vector<2xf32>
    %y = vector.transfer_write %w, %x[%c0, %c0] : vector<2xf32>, tensor<?x?xf32>
    scf.yield %y : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
