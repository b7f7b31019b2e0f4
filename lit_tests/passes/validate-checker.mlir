// What hecv-validate says where there is no verdict, and where the checker does not work: Inputs/checker.

func.func @keep(%x: i32) -> i32 {
  return %x : i32
}

// No verdict is a warning, nothing, or an error.
// RUN: env ANSWER=unknown %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker})' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=UNKNOWN,MODULE
// RUN: env ANSWER=unknown %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=ignore})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODULE --implicit-check-not=hecv-validate
// RUN: env ANSWER=unknown not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=error})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR --implicit-check-not='func.func @keep(%arg0'
// UNKNOWN: validate-checker.mlir:3:1: warning: hecv-validate: unknown whether the pipeline keeps what @keep computes: no-proof: no rule applies
// ERROR: validate-checker.mlir:3:1: error: hecv-validate: unknown whether the pipeline keeps what @keep computes: no-proof: no rule applies

// The checker is stopped by the clock, also one that does not end when it is asked to.
// RUN: env ANSWER=slow %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker clock-limit=0.2})' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CLOCK,MODULE
// RUN: rm -rf %t.folder && mkdir %t.folder
// RUN: env TMPDIR=%t.folder ANSWER=stubborn not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker clock-limit=0.2 on-unknown=error})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CLOCK
// CLOCK: hecv-validate: no verdict on the pipeline: the checker did not end in 0.2 s by the clock
// CLOCK: note: help: set clock-limit=SECONDS for all functions, or time-limit=SECONDS for each of them

// A text that the checker cannot read: the message is about the text, the place is the module's.
// RUN: env ANSWER=unreadable %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker})' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=UNREADABLE,MODULE
// RUN: env ANSWER=unreadable not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=error})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNREADABLE
// UNREADABLE: validate-checker.mlir:{{.*}}: hecv-validate: no verdict: no such op
// UNREADABLE: note: in the text of the target: return %arg0 : i32 loc(
// UNREADABLE: note: help: print it in generic form

// A warning of the checker is passed on; a function that its report leaves out has no verdict.
// RUN: env ANSWER=warning %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=error})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WARNING
// WARNING: warning: hecv-validate: @new is public in the target only
// WARNING: validate-checker.mlir:3:1: remark: hecv-validate: equivalent: @keep before and after the pipeline (proved)
// RUN: env ANSWER=leaves-out %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUT
// OUT: validate-checker.mlir:3:1: warning: hecv-validate: no verdict on @keep: the report leaves it out

// The options of the checker; a word in quotes is one of them.
// RUN: env ANSWER=options %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker time-limit=2.5 args={--alias may --assume "x >= 1"}})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: (check --format json --relation refines --time-limit 2.5 --alias may --assume x >= 1 the source the target)

// A checker that does not work fails the pass, whatever is to happen without a verdict.
// RUN: env ANSWER=silent not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=ignore})' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=SILENT,HELP
// RUN: env ANSWER=text not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=ignore})' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=TEXT,HELP
// RUN: env ANSWER=disagrees not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=ignore})' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=DISAGREES,HELP
// RUN: env ANSWER=schema not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=ignore})' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=SCHEMA,HELP
// RUN: env ANSWER=crash not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=ignore})' 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CRASH,HELP
// SILENT: error: hecv-validate: the checker printed no verdict, and ended with status 0{{$}}
// TEXT: error: hecv-validate: the checker printed no verdict, and ended with status 0: equivalent: @keep
// DISAGREES: error: hecv-validate: the checker printed the verdict 'equivalent', but ended with status 1
// SCHEMA: error: hecv-validate: the checker printed JSON that is no report of the schema hecv.verdict/1
// CRASH: error: hecv-validate: {{.*}}checker crashed: Segmentation fault: out of luck
// HELP: note: help: run `hecv check --format json` by hand; the option checker or the variable HECV has to name hecv's executable

// So does an error of its own, and one in its options.
// RUN: env ANSWER=internal not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker on-unknown=ignore})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INTERNAL
// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse on-unknown=ignore args=--alisa})' 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse on-unknown=ignore args="--assume y<=1"})' 2>&1 | FileCheck %s --check-prefix=ASSUME
// INTERNAL: error: hecv-validate: no verdict: a bug
// USAGE: error: hecv-validate: no verdict: unrecognized arguments: --alisa
// ASSUME: error: hecv-validate: no verdict: expected the name of an argument, found `y`
// ASSUME: note: help: there are: arg0

// No checker at all: the pipeline does not run.
// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse checker=%t.none})' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env HECV=%t.none not %validate='builtin.module(hecv-validate{pipeline=cse})' 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: env HECV= PATH=/nowhere not %validate='builtin.module(hecv-validate{pipeline=cse})' 2>&1 | FileCheck %s --check-prefix=PATH
// NONE: error: hecv-validate: there is no program '{{.*}}.none' (from the option checker); give the path of hecv in the option checker or the variable HECV, or put it on the PATH
// VARIABLE: error: hecv-validate: there is no program '{{.*}}.none' (from the variable HECV); give
// PATH: error: hecv-validate: there is no program 'hecv' (from the PATH); give

// Temporary files are gone, also those of the checker that did not want to end.
// RUN: env TMPDIR=%t.folder ANSWER=crash not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker})'
// RUN: rmdir %t.folder
// RUN: env TMPDIR=%t.folder not %validate='builtin.module(hecv-validate{pipeline=cse checker=%checker})' 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: hecv-validate: cannot write a temporary file: No such file or directory
// FOLDER: note: help: the variable TMPDIR names their folder

// The module comes out where the pass does not fail.
// MODULE: func.func @keep(%arg0
