// One object, whatever happens; each step has the objects of `hecv check` for the functions that it changed.
// RUN: %exits 1 hecv opt %s --pass-pipeline='affine-loop-unroll{unroll-factor=2},cse' --format json --seed 3 | %python -m json.tool | FileCheck %s
// RUN: %exits 2 hecv opt %s --pass-pipeline='cse,transform-interpreter,cse,symbol-dce' --format json | %python -m json.tool | FileCheck %s --check-prefix=FAILS
// RUN: %exits 2 hecv opt %t.nowhere --pass-pipeline='cse' --format json | %python -m json.tool | FileCheck %s --check-prefix=ERROR

// CHECK:      "schema": "hecv.pipeline/1"
// CHECK-NEXT: "verdict": "not-equivalent"
// CHECK-NEXT: "relation": "refines"
// CHECK:      "seed": 3
// CHECK:      "diagnostics": []
// CHECK-NEXT: "pipeline": "affine-loop-unroll{unroll-factor=2},cse"
// CHECK-NEXT: "guilty": 0
// CHECK-NEXT: "not_run": []
// CHECK-NEXT: "steps": [
// CHECK:      "pass": "affine-loop-unroll"
// CHECK-NEXT: "options": "unroll-factor=2"
// CHECK-NEXT: "anchor": "func.func"
// CHECK-NEXT: "pipeline": "builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))"
// CHECK-NEXT: "verdict": "not-equivalent"
// CHECK:      "ran": true
// CHECK-NEXT: "changed": true
// CHECK-NEXT: "source": "{{.*}}json.mlir"
// CHECK-NEXT: "target": "<01-affine-loop-unroll>"
// CHECK:      "name": "fill"
// CHECK:      "counterexample": {
// CHECK:      "localization": {
// CHECK:      "pass": "cse"
// CHECK-NEXT: "options": null
// CHECK:      "verdict": "equivalent"
// CHECK:      "changed": false
// CHECK:      "unchanged": [
// CHECK-NEXT: "fill"
// CHECK:      "functions": []

// FAILS:      "verdict": "error"
// FAILS:      "guilty": null
// FAILS-NEXT: "not_run": [
// FAILS-NEXT: "builtin.module(cse)"
// FAILS-NEXT: "builtin.module(symbol-dce)"
// FAILS:      "pass": "transform-interpreter"
// FAILS:      "verdict": "error"
// FAILS:      "ran": false
// FAILS:      "target": null
// FAILS:      "name": "pass-failed"

// ERROR: "schema": "hecv.pipeline/1"
// ERROR: "verdict": "error"
// ERROR: "name": "file-not-found"
// ERROR: "steps": []

func.func @fill(%A: memref<?xi32>, %lb: index, %x: i32) {
  affine.for %i = %lb to 10 {
    affine.store %x, %A[%i] : memref<?xi32>
  }
  return
}
