// HEC's first finding: where %lo lies above 10, the clean-up loop of the unrolled loop runs, though the loop does not.
// RUN: mlir-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))' -o %t.mlir
// RUN: %exits 1 hecv check %s %t.mlir | FileCheck %s --check-prefix=CROSSING

// With the bounds in order it is right; an argument is known by its name and by its number.
// RUN: %exits 0 hecv check %s %t.mlir --assume 'lo <= 10' | FileCheck %s --check-prefix=ORDERED
// RUN: %exits 0 hecv check %s %t.mlir --assume '%%lo < 11' | FileCheck %s --check-prefix=ORDERED
// RUN: %exits 0 hecv check %s %t.mlir --assume 'arg1 <= 10' --assume nonneg | FileCheck %s --check-prefix=ORDERED

// An assumption that does not exclude the case changes nothing; the input obeys it.
// RUN: %exits 1 hecv check %s %t.mlir --assume 'lo = 13' | FileCheck %s --check-prefix=THIRTEEN

// Nonsense is a usage error, with its place.
// RUN: %exits 2 hecv check %s %t.mlir --assume 'low <= 10' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: %exits 2 hecv check %s %t.mlir --assume 'lo' 2>&1 | FileCheck %s --check-prefix=COMPARISON

// CROSSING: {{^}}not equivalent: @from
// CROSSING:   input    {{.*}}%lo = 1{{[1-9]}}
// ORDERED: {{^}}equivalent: @from
// ORDERED: = assumes: {{.*}} (--assume)
// THIRTEEN: {{^}}not equivalent: @from
// THIRTEEN:   input    {{.*}}%lo = 13
// NAME: error[invalid-assumption]: expected the name of an argument, found `low`
// NAME: --> --assume:1:1
// NAME: = help: there are: A, lo, x
// COMPARISON: error[invalid-assumption]: expected a comparison
func.func @from(%A: memref<?xf32>, %lo: index, %x: f32) {
  affine.for %i = %lo to 10 {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = arith.addf %a, %x : f32
    affine.store %b, %A[%i] : memref<?xf32>
  }
  return
}
