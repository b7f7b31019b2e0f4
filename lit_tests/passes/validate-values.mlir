// The values in hecv-validate's notes. Inputs/checker plays a wrong pass: it edits the target.

// The elements that differ, of a memref with many.
// RUN: env ANSWER=edit EDIT='s/%c1, %c7/%c1, %c1/' not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker functions=long})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LONG
// LONG: validate-values.mlir:[[#@LINE+6]]:1: error: hecv-validate: not equivalent: the pipeline changes what @long computes
// LONG: note: input: %arg0 = 2x20 of [1, {{.*}}, 1, ...], %arg1 = 0
// LONG: note: source: %arg0[1, 1] = 1, %arg0[1, 7] = 0
// LONG: note: target: %arg0[1, 1] = 0, %arg0[1, 7] = 1
// LONG: validate-values.mlir:[[#@LINE+5]]:3: note: %arg0[1, 1] is 0, expected 1
// LONG-NOT: hecv-validate
func.func @long(%A: memref<2x20xi32>, %x: i32) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  memref.store %x, %A[%c1, %c7] : memref<2x20xi32>
  return
}

// Poison; a result that is the same on both sides is left out.
// RUN: env ANSWER=edit EDIT='s/addi %arg1, %arg1/& overflow<nsw>/' not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker functions=double,floats})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=POISON
// POISON: validate-values.mlir:[[#@LINE+4]]:1: error: hecv-validate: not equivalent: the pipeline changes what @double computes
// POISON: note: input: %arg0 = 0, %arg1 = 64
// POISON: note: source: result1 = -128
// POISON: note: target: result1 = poison
func.func @double(%x: i8, %y: i8) -> (i8, i8) {
  %s = arith.addi %y, %y : i8
  return %x, %s : i8, i8
}

// Undefined behaviour in the target.
// RUN: env ANSWER=edit EDIT='s/muli %arg0, %c0/divui %arg0, %c0/' not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker functions=zero})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UB
// UB: validate-values.mlir:[[#@LINE+3]]:1: error: hecv-validate: not equivalent: the pipeline changes what @zero computes
// UB: note: source: result0 = 0
// UB: note: target: undefined behaviour: {{.*}}zero
func.func @zero(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %p = arith.muli %x, %c0 : i32
  return %p : i32
}

// A call with another operand.
// RUN: env ANSWER=edit EDIT='s/call @log(%arg0)/call @log(%arg1)/' not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker functions=calls})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CALL
// CALL: note: input: %arg0 = 0, %arg1 = 1
// CALL: note: call: @log(0)
// CALL: note: source: returns
// CALL: note: target: call 1, of @log: operand 0 is 1, expected 0
func.func private @log(i32)
func.func @calls(%x: i32, %y: i32) {
  call @log(%x) : (i32) -> ()
  return
}

// A float, and what JSON has no number for.
// RUN: env ANSWER=edit EDIT='s/arith.negf %arg0/math.absf %arg0/' not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker functions=floats})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FLOAT
// FLOAT: note: input: %arg0 = 0
// FLOAT: note: source: result0 = -0.0
// FLOAT: note: target: result0 = 0
// POISON: remark: hecv-validate: equivalent: @floats before and after the pipeline
func.func @floats(%x: f32) -> f32 {
  %n = arith.negf %x : f32
  return %n : f32
}

// Options that shorten mlir-opt's output do not hide a difference.
// RUN: env ANSWER=edit EDIT='s/1, 2, 3, 4/1, 2, 3, 5/' not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker functions=table})' \
// RUN:   --mlir-elide-elementsattrs-if-larger=2 --mlir-print-skip-regions --mlir-print-op-generic 2>&1 | FileCheck %s --check-prefix=ELIDED
// ELIDED: validate-values.mlir:[[#@LINE+1]]:1: error: hecv-validate: not equivalent: the pipeline changes what @table computes
func.func @table(%i: index) -> i32 {
  %t = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %v = vector.extract %t[%i] : i32 from vector<4xi32>
  return %v : i32
}

// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse functions=floats,log})' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: hecv-validate: there is no public function @log, which the option functions names
