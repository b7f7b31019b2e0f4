// One object on stdout, whatever happens; the exit status is that of the text.
// RUN: split-file %s %t
// RUN: %exits 0 hecv check %t/src.mlir %t/src.mlir --format json --seed 7 | %python -m json.tool | FileCheck %s --check-prefix=SAME
// RUN: %exits 1 hecv check %t/src.mlir %t/tgt.mlir --format json | %python -m json.tool | FileCheck %s --check-prefix=OTHER
// RUN: %exits 2 hecv check %t/src.mlir %t/nowhere.mlir --format json | %python -m json.tool | FileCheck %s --check-prefix=ERROR

// SAME: "schema": "hecv.verdict/1"
// SAME: "verdict": "equivalent"
// SAME: "relation": "refines"
// SAME: "seed": 7
// SAME: "diagnostics": []
// SAME: "name": "f"
// SAME: "verdict": "equivalent"
// SAME: "evidence": "proved"
// SAME: "engine": "identity"
// SAME: "counterexample": null

// OTHER: "verdict": "not-equivalent"
// OTHER: "counterexample": {
// OTHER: "kind": "value"
// OTHER: "inputs": {
// OTHER: "arg0": {
// OTHER: "shape": [
// OTHER: "engines": [
// OTHER-NEXT: "interpreter"
// OTHER-NEXT: "jit"
// OTHER: "localization": {

// ERROR: "verdict": "error"
// ERROR: "severity": "error"
// ERROR: "functions": []

//--- src.mlir
func.func @f(%A: memref<3xi8>, %x: i8) {
  affine.for %i = 0 to 3 {
    affine.store %x, %A[%i] : memref<3xi8>
  }
  return
}

//--- tgt.mlir
func.func @f(%A: memref<3xi8>, %x: i8) {
  affine.for %i = 0 to 2 {
    affine.store %x, %A[%i] : memref<3xi8>
  }
  return
}
