// hecv-validate on a pipeline: a remark where hecv proves that a function is kept, an error where it is not.

// RUN: rm -rf %t && mkdir %t
// RUN: env TMPDIR=%t not mlir-opt %s --load-pass-plugin=%hecv_plugin \
// RUN:   --pass-pipeline='builtin.module(hecv-validate{pipeline=func.func(affine-loop-unroll{unroll-factor=2},cse)})' \
// RUN:   2>&1 | FileCheck %s --implicit-check-not='func.func @scale(%arg0'

// Temporary files are gone: the folder is empty.
// RUN: rmdir %t

// The module that comes out is that of the pipeline alone.
// RUN: mlir-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4},canonicalize))' -o %t.alone
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin -o %t.checked \
// RUN:   --pass-pipeline='builtin.module(hecv-validate{pipeline=func.func(affine-loop-tile{tile-size=4},canonicalize)})' \
// RUN:   2>&1 | FileCheck %s --check-prefix=TILE
// RUN: diff %t.alone %t.checked

// A result that refines the source is not enough if equivalence is asked for.
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(hecv-validate{pipeline=cse relation=equivalent})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOTH

// Other options of hecv: under this assumption the unrolled loop is right.
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(hecv-validate{pipeline=func.func(affine-loop-unroll{unroll-factor=2}) functions=scale args="--assume arg0<=10"})' \
// RUN:   2>&1 | FileCheck %s --check-prefix=ASSUME

// mlir-opt's clean-up loop of an unrolled loop runs once where the lower bound is beyond the upper.
// CHECK: validate.mlir:[[#@LINE+9]]:1: error: hecv-validate: not equivalent: the pipeline changes what @scale computes
// CHECK: validate.mlir:[[#@LINE+8]]:1: note: input: %arg0 = 11, %arg1 = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
// CHECK: validate.mlir:[[#@LINE+7]]:1: note: source: %arg1 = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
// CHECK: validate.mlir:[[#@LINE+6]]:1: note: target: %arg1 = [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]
// CHECK: validate.mlir:[[#@LINE+9]]:5: note: %arg1[9] is 2.0, expected 1.0
// TILE: validate.mlir:[[#@LINE+4]]:1: remark: hecv-validate: equivalent: @scale before and after the pipeline (proved by {{.*}})
// TILE: validate.mlir:[[#@LINE+3]]:1: note: assumes: arguments and their memory hold no poison
// ASSUME: remark: hecv-validate: equivalent: @scale before and after the pipeline
// ASSUME: note: assumes: arg0<=10
func.func @scale(%lo: index, %A: memref<?xf32>) {
  affine.for %i = %lo to 10 {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = arith.addf %a, %a : f32
    affine.store %b, %A[%i] : memref<?xf32>
  }
  return
}

// A division that nothing uses is removed, and with it the undefined behaviour of a division by zero.
// CHECK: validate.mlir:[[#@LINE+3]]:1: remark: hecv-validate: refines: @divide before and after the pipeline
// BOTH: validate.mlir:[[#@LINE+2]]:1: warning: hecv-validate: unknown whether the pipeline keeps what @divide computes:
// BOTH-SAME: the result refines the source, and relation=equivalent asks for more
func.func @divide(%x: i32, %y: i32) -> i32 {
  %q = arith.divsi %x, %y : i32
  return %x : i32
}

// A function that only one on this side calls.
// CHECK: validate.mlir:[[#@LINE+1]]:1: remark: hecv-validate: equivalent: @outer before and after the pipeline
func.func @outer(%x: i32) -> i32 {
  %r = call @inner(%x) : (i32) -> i32
  return %r : i32
}
func.func private @inner(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.muli %a, %b : i32
  return %c : i32
}
