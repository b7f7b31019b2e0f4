// Passes run by a tool: its own test passes too. The names in assumptions stay those of the file, also where the tool
// prints others.
// RUN: split-file %s %t
// RUN: %exits 0 hecv opt %t/fill.mlir --tool mlir-opt --pass-pipeline='func.func(test-loop-permutation{permutation-map=1,0}),affine-loop-unroll{unroll-factor=2},cse' --assume 'n >= 0' | FileCheck %s
// RUN: %exits 1 hecv opt %t/fill.mlir --tool mlir-opt --pass-pipeline='cse,affine-loop-unroll{unroll-factor=2}' | FileCheck %s --check-prefix=GUILTY

// The bindings do not have it.
// RUN: %exits 2 hecv opt %t/fill.mlir --pass-pipeline='test-loop-permutation{permutation-map=1,0}' 2>&1 | FileCheck %s --check-prefix=BINDINGS

// A tool that crashes is no crash of hecv; what was checked before it is told.
// RUN: chmod +x %t/crashes
// RUN: env OPT=mlir-opt %exits 2 hecv opt %t/fill.mlir --tool %t/crashes --pass-pipeline='affine-loop-tile{tile-size=4},cse,canonicalize' 2>&1 | FileCheck %s --check-prefix=CRASH

// CHECK:      1  test-loop-permutation{permutation-map=1,0}  equivalent
// CHECK:      2  affine-loop-unroll{unroll-factor=2}         equivalent
// CHECK:      equivalent: 3 passes (
// CHECK:        = assumes: n >= 0 (--assume)

// GUILTY:      pass 2: affine-loop-unroll{unroll-factor=2}
// GUILTY:        input {{.*}}%n = -
// GUILTY:      not equivalent: pass 2 of 2, affine-loop-unroll{unroll-factor=2}, changes what @fill does (

// BINDINGS: error[unknown-pass]: there is no pass test-loop-permutation
// BINDINGS:   = help: {{.*}}--tool

// CRASH-DAG: error[pass-crashed]: cse crashed with SIGSEGV
// CRASH-DAG: {{^}}  1  affine-loop-tile{tile-size=4}  equivalent
// CRASH-DAG: {{^}}  2  cse                            failed
// CRASH-DAG: {{^}}error: pass 2 of 3, cse, failed (
// CRASH-DAG:   = note: 1 pass after it was not run

//--- fill.mlir
func.func @fill(%A: memref<8x?xi32>, %n: index, %x: i32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to %n {
      affine.store %x, %A[%i, %j] : memref<8x?xi32>
    }
  }
  return
}

//--- crashes
#!/bin/sh
case "$*" in
  *dump-pass-pipeline*) ;;
  *cse*) kill -SEGV $$ ;;
esac
exec $OPT "$@"
