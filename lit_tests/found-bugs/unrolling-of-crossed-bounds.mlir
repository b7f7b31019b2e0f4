// Unrolling a loop with bounds that are not known (`transform.loop.unroll`) counts its iterations by an unsigned division
// of `ub - lb + step - 1`. Where the bounds cross that is a great number, and the loop over the rest begins below `ub`.
// The count wraps, so that it is looked at under `--index-overflow wrap`.
//
// RUN: mlir-opt %s -test-loop-unrolling='unroll-factor=2' -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir --index-overflow wrap | FileCheck %s

// CHECK: not equivalent: @fill
// CHECK: source %A = [0.0,
// CHECK: target %A = [{{.*}}7.0
// CHECK: both were run on this input by the interpreter and by MLIR's JIT
func.func @fill(%lb: index, %ub: index, %A: memref<8xf32>) {
  %x = arith.constant 7.0 : f32
  %c2 = arith.constant 2 : index
  scf.for %i = %lb to %ub step %c2 {
    memref.store %x, %A[%i] : memref<8xf32>
  }
  return
}
