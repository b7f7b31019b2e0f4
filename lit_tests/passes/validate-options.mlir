// The options of hecv-validate. Those that are wrong end mlir-opt before anything runs.

func.func @keep(%x: i32) -> i32 {
  return %x : i32
}

// A pipeline with and without its anchor, with braces and commas; with spaces it is put into braces or quotes.
// RUN: %validate='builtin.module(hecv-validate{pipeline=builtin.module(canonicalize{top-down=false max-iterations=2},func.func(cse))})' 2>&1 | FileCheck %s
// RUN: %validate='builtin.module(hecv-validate{pipeline=canonicalize{top-down=false max-iterations=2},func.func(cse) each=false})' 2>&1 | FileCheck %s
// RUN: %validate='builtin.module(hecv-validate{pipeline={canonicalize, func.func(cse, cse)}})' 2>&1 | FileCheck %s
// RUN: %validate="builtin.module(hecv-validate{pipeline='canonicalize, func.func(cse, cse)'})" 2>&1 | FileCheck %s
// RUN: %validate='any(hecv-validate{pipeline=any(cse)})' 2>&1 | FileCheck %s
// RUN: %validate='builtin.module(hecv-validate{pipeline={canonicalize, func.func(cse)}})' --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefixes=DUMP,CHECK
// DUMP: pipeline=canonicalize,func.func(cse) relation=
// CHECK: remark: hecv-validate: equivalent: @keep before and after the pipeline

// A pass of the pipeline that fails.
// RUN: not %validate='builtin.module(hecv-validate{pipeline=func.func(hecv-annotate{prefix=}) each=true})' 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error: hecv-annotate: the prefix is empty, expected a word

// RUN: not %validate='builtin.module(hecv-validate)' 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not %validate='builtin.module(hecv-validate{each=true pipeline=})' 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: hecv-validate: there is no pipeline; write hecv-validate{pipeline=func.func(canonicalize)}

// RUN: not %validate='builtin.module(hecv-validate{pipeline=func.func(canonicalise)})' 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error: hecv-validate: the pipeline 'func.func(canonicalise)' does not parse: {{.*}}:1:11: error: 'canonicalise' does not refer to a registered pass or pass pipeline

// RUN: not %validate='builtin.module(hecv-validate{pipeline=func.func(cse})' 2>&1 | FileCheck %s --check-prefix=BRACKET
// BRACKET: error: hecv-validate: the pipeline 'func.func(cse' does not parse: {{.*}}: error: encountered unbalanced parentheses

// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse relation=equal})' 2>&1 | FileCheck %s --check-prefix=RELATION
// RELATION: error: hecv-validate: relation is 'equal', expected refines or equivalent

// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse on-unknown=fail})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: hecv-validate: on-unknown is 'fail', expected ignore, warn or error

// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse time-limit=0})' 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse clock-limit=-0.5})' 2>&1 | FileCheck %s --check-prefix=CLOCK
// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse time-limit=long})' 2>&1 | FileCheck %s --check-prefix=NUMBER
// TIME: error: hecv-validate: time-limit is 0, expected seconds, more than 0 and at most 10000000
// CLOCK: error: hecv-validate: clock-limit is -0.5, expected seconds, at most 10000000
// NUMBER: for the --time-limit option: 'long' value invalid

// RUN: not %validate='builtin.module(hecv-validate{pipeline=cse each=yes})' 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: not %validate='builtin.module(hecv-validate{pipline=cse})' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not %validate='builtin.module(func.func(hecv-validate{pipeline=cse}))' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// EACH: for the --each option: 'yes' is invalid value for boolean argument
// OPTION: error: {{.*}}no such option pipline
// ANCHOR: error: Can't add pass '{{.*}}' restricted to 'builtin.module' on a PassManager intended to run on 'func.func'
