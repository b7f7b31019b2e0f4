// -o has what the whole pipeline makes; --save-steps what each pass made. Neither is there unless all passes ran.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 0 hecv opt %s --pass-pipeline='affine-loop-tile{tile-size=4},lower-affine,cse' -o %t/out.mlir --save-steps %t/steps/of
// RUN: ls %t/steps/of | FileCheck %s --check-prefix=FILES
// RUN: diff %t/out.mlir %t/steps/of/03-cse.mlir
// RUN: mlir-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4}),lower-affine,cse)' > %t/whole.mlir
// RUN: mlir-opt %t/out.mlir | diff - %t/whole.mlir
// RUN: FileCheck %s < %t/out.mlir

// The program of a refuted pipeline is written too: the exit status tells.
// RUN: %exits 1 hecv opt - --pass-pipeline='affine-loop-unroll{unroll-factor=3}' -o %t/refuted.mlir < %s
// RUN: FileCheck %s --check-prefix=REFUTED < %t/refuted.mlir

// An empty pipeline does nothing.
// RUN: %exits 0 hecv opt %s --pass-pipeline='builtin.module()' -o %t/same.mlir | FileCheck %s --check-prefix=EMPTY
// RUN: diff %s %t/same.mlir

// What stood there stays where a pass fails.
// RUN: echo kept > %t/kept.mlir
// RUN: %exits 2 hecv opt %s --pass-pipeline='cse,transform-interpreter' -o %t/kept.mlir
// RUN: FileCheck %s --check-prefix=KEPT < %t/kept.mlir
// RUN: %exits 2 hecv opt %s --pass-pipeline='cse' -o %t/no/folder.mlir 2>&1 | tr -s '\n ' ' ' | FileCheck %s --check-prefix=FOLDER

// FILES:      00-input.mlir
// FILES-NEXT: 01-affine-loop-tile.mlir
// FILES-NEXT: 02-lower-affine.mlir
// FILES-NEXT: 03-cse.mlir

// CHECK: func.func @fill(%A: memref<?xi32>, %lb: index, %x: i32)
// CHECK:   scf.for
// CHECK:     scf.for
// CHECK:       memref.store %x, %A[
// REFUTED: affine.for %i = %lb to
// REFUTED-SAME: step 3
// EMPTY: equivalent: the pipeline has no passes (
// KEPT: kept
// FOLDER: error[file-unwritable]: cannot write
// FOLDER: folder.mlir:
// FOLDER: no such file

func.func @fill(%A: memref<?xi32>, %lb: index, %x: i32) {
  affine.for %i = %lb to 10 {
    affine.store %x, %A[%i] : memref<?xi32>
  }
  return
}
