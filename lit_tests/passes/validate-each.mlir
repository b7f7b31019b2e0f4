// hecv-validate with each=true: every function that a pass changed is checked after it, and a wrong pass is named.

// RUN: not %validate='builtin.module(hecv-validate{pipeline=canonicalize,inline,func.func(affine-loop-unroll{unroll-factor=3},affine-loop-unroll{unroll-factor=2}),symbol-dce each=true})' \
// RUN:   2>&1 | FileCheck %s --implicit-check-not='remark:' --implicit-check-not='error:'

// Passes on functions run one after the other, then threads are on again: other passes of the pipeline use them.
// RUN: %validate='builtin.module(func.func(cse),hecv-validate{pipeline=any(func.func(affine-loop-tile{tile-size=4}),composite-fixed-point-pass{pipeline=inline,canonicalize}) each=true},func.func(cse))' \
// RUN:   2>&1 | FileCheck %s --check-prefix=RIGHT --implicit-check-not='remark:'

// Checks stop at the first pass that is wrong, and a function that passes left alone until then has no verdict.
// CHECK: validate-each.mlir:[[#@LINE+4]]:1: remark: hecv-validate: equivalent: @outer before and after 'canonicalize'
// CHECK: validate-each.mlir:[[#@LINE+3]]:1: remark: hecv-validate: equivalent: @outer before and after 'inline'
// RIGHT: remark: hecv-validate: equivalent: @scale before and after 'affine-loop-tile'
// RIGHT: remark: hecv-validate: equivalent: @outer before and after 'composite-fixed-point-pass'
func.func @outer(%x: i32) -> i32 {
  %r = call @inner(%x) : (i32) -> i32
  return %r : i32
}
func.func private @inner(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %a = arith.addi %x, %c0 : i32
  %b = arith.muli %a, %x : i32
  return %b : i32
}

// CHECK: validate-each.mlir:[[#@LINE+2]]:1: error: hecv-validate: not equivalent: 'affine-loop-unroll' changes what @scale computes
// CHECK: validate-each.mlir:[[#@LINE+1]]:1: note: pass: affine-loop-unroll{{[{].*}} unroll-factor=3 {{.*}}
func.func @scale(%lo: index, %A: memref<?xf32>) {
  affine.for %i = %lo to 10 {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = arith.addf %a, %a : f32
    affine.store %b, %A[%i] : memref<?xf32>
  }
  return
}

// RIGHT: validate-each.mlir:[[#@LINE+1]]:1: remark: hecv-validate: equivalent: no pass changed @alone
func.func @alone(%x: i32) -> i32 {
  return %x : i32
}
