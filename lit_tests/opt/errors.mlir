// What is wrong with a pipeline is said with its place, before anything runs; a pass that fails, after the steps before.
// RUN: %exits 2 hecv opt %s --pass-pipeline='func.func(cse,)' 2>&1 | FileCheck %s --check-prefix=COMMA
// RUN: %exits 2 hecv opt %s --pass-pipeline='builtin.module(cse' 2>&1 | FileCheck %s --check-prefix=BRACKET
// RUN: %exits 2 hecv opt %s --pass-pipeline='cse,loop-unroll,canonicalise' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: %exits 2 hecv opt %s --pass-pipeline='affine-loop-unroll{factor=2}' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: %exits 2 hecv opt %s --pass-pipeline='affine-loop-unroll{unroll-factor=two}' 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: %exits 2 hecv opt %s --pass-pipeline='builtin.module(cse,affine-loop-unroll)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: %exits 2 hecv opt %s --pass-pipeline='canonicalize,transform-interpreter,cse' 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: %exits 2 hecv opt %s --pass-pipeline='cse' --tool no-such-opt 2>&1 | FileCheck %s --check-prefix=TOOL
// RUN: %exits 2 hecv opt %s --pass-pipeline='cse' --assume 'm >= 1' 2>&1 | FileCheck %s --check-prefix=ASSUME
// RUN: %exits 2 hecv opt %s --pass-pipeline='cse' --func g 2>&1 | FileCheck %s --check-prefix=FUNC
// RUN: %exits 2 hecv opt %s --pass-pipeline='cse' -o - 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: %exits 2 hecv opt %s 2>&1 | FileCheck %s --check-prefix=USAGE

// The tool says the same.
// RUN: %exits 2 hecv opt %s --tool mlir-opt --pass-pipeline='cse,loop-unroll,canonicalise' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: %exits 2 hecv opt %s --tool mlir-opt --pass-pipeline='affine-loop-unroll{factor=2}' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: %exits 2 hecv opt %s --tool mlir-opt --pass-pipeline='affine-loop-unroll{unroll-factor=two}' 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: %exits 2 hecv opt %s --tool mlir-opt --pass-pipeline='builtin.module(cse,affine-loop-unroll)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: %exits 2 hecv opt %s --tool mlir-opt --pass-pipeline='canonicalize,transform-interpreter,cse' 2>&1 | FileCheck %s --check-prefix=FAILS

// COMMA:      error[invalid-pipeline]: expected the name of a pass, found `)`
// COMMA-NEXT:   --> --pass-pipeline:1:15
// COMMA:         1 | func.func(cse,)
// COMMA-NEXT:      |               ^
// BRACKET:      error[invalid-pipeline]: expected `)` after the passes of builtin.module
// BRACKET-NEXT:   --> --pass-pipeline:1:19
// NAME:      error[unknown-pass]: there is no pass loop-unroll
// NAME-NEXT:   --> --pass-pipeline:1:5
// NAME:        = help: did you mean affine-loop-unroll
// NAME:      error[unknown-pass]: there is no pass canonicalise
// NAME:        = help: did you mean canonicalize
// OPTION: error[invalid-pass]: affine-loop-unroll: no such option factor
// VALUE:  error[invalid-pass]: affine-loop-unroll: for the --unroll-factor option: 'two'{{[[:space:]]+}}value invalid for long argument
// ANCHOR:      error[pass-anchor]: affine-loop-unroll cannot run on builtin.module
// ANCHOR-NEXT:   --> --pass-pipeline:1:20
// ANCHOR:        = help: write func.func(affine-loop-unroll)
// FAILS-DAG: error[pass-failed]: transform-interpreter: could not find a nested named{{[[:space:]]+}}sequence with name: __transform_main
// FAILS-DAG: {{^}}  1  canonicalize           equivalent
// FAILS-DAG: {{^}}  2  transform-interpreter  failed
// FAILS-DAG: {{^}}error: pass 2 of 3, transform-interpreter, failed (
// FAILS-DAG:    = note: 1 pass after it was not run
// TOOL:   error[tool-not-found]: there is no program no-such-opt
// ASSUME: error[invalid-assumption]:
// FUNC:   error[missing-function]:
// FUNC:   @g
// USAGE:  error[usage]:

func.func @f(%n: i32) -> i32 {
  %unused = arith.muli %n, %n : i32
  %sum = arith.addi %n, %n : i32
  return %sum : i32
}
