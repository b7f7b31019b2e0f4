// A loop rule of a user proposes what a nest becomes; the obligations of the schedule law show it, and the verdict names it.
// RUN: split-file %s %t
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir --engine theorems --rules %S/Inputs/backwards.py -v | FileCheck %s
// RUN: %exits 0 hecv check %t/tgt.mlir %t/src.mlir --engine theorems --rules %S/Inputs/backwards.py --format json | FileCheck %s --check-prefix=JSON
// CHECK: {{^}}equivalent: @f (proved; {{.*}}) by loop theorems
// CHECK: rule 'backwards' (dynamic, proved)
// JSON: "evidence": "proved"
// JSON: "engine": "theorems"
// JSON: "name": "backwards"
// JSON-NEXT: "kind": "dynamic"
// JSON-NEXT: "uses":
// JSON-NEXT: "evidence": "proved"

// Without it nothing is known.
// RUN: %exits 3 hecv check %t/src.mlir %t/tgt.mlir --engine theorems | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: {{^}}unknown: @f

// A wrong use: iterations may add to one element, and its condition does not hold. (Of integers it would not matter.)
// RUN: %exits 3 hecv check %t/sum.src.mlir %t/sum.tgt.mlir --engine theorems --rules %S/Inputs/backwards.py | FileCheck %s --check-prefix=USE
// USE: {{^}}unknown: @f

// A wrong rule is bad input, whatever it would be used for: its audit runs both sides.
// RUN: %exits 2 hecv check %t/src.mlir %t/tgt.mlir --rules %S/Inputs/backwards_wrong.py 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error[rule-false]: 'backwards' is false: its sides were run,
// WRONG: --> {{.*}}backwards_wrong.py:7:1

// RUN: %exits 1 hecv rules --audit --rules %S/Inputs/backwards_wrong.py | FileCheck %s --check-prefix=FAILED
// FAILED: failed backwards
// FAILED: for a = {{.*}}, b =

//--- src.mlir
func.func @f(%A: memref<?xi32>, %B: memref<?xindex>, %C: memref<?xi32>, %n: index) {
  affine.for %i = 0 to %n {
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%b] : memref<?xi32>
    %t = arith.addi %a, %a : i32
    memref.store %t, %C[%i] : memref<?xi32>
  }
  return
}

//--- tgt.mlir
func.func @f(%A: memref<?xi32>, %B: memref<?xindex>, %C: memref<?xi32>, %n: index) {
  affine.for %k = 0 to %n {
    %i = affine.apply affine_map<(d0)[s0] -> (s0 - d0 - 1)>(%k)[%n]
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%b] : memref<?xi32>
    %t = arith.addi %a, %a : i32
    memref.store %t, %C[%i] : memref<?xi32>
  }
  return
}

//--- sum.src.mlir
func.func @f(%A: memref<?xi32>, %B: memref<?xindex>, %C: memref<?xi32>, %n: index) {
  affine.for %i = 0 to %n {
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%i] : memref<?xi32>
    %c = memref.load %C[%b] : memref<?xi32>
    %t = arith.addi %a, %c : i32
    memref.store %t, %C[%b] : memref<?xi32>
  }
  return
}

//--- sum.tgt.mlir
func.func @f(%A: memref<?xi32>, %B: memref<?xindex>, %C: memref<?xi32>, %n: index) {
  affine.for %k = 0 to %n {
    %i = affine.apply affine_map<(d0)[s0] -> (s0 - d0 - 1)>(%k)[%n]
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%i] : memref<?xi32>
    %c = memref.load %C[%b] : memref<?xi32>
    %t = arith.addi %a, %c : i32
    memref.store %t, %C[%b] : memref<?xi32>
  }
  return
}
