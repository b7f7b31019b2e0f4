// By hand, the first store after both others: equivalent, as no iteration writes to C and D what another statement of it accesses
// RUN: %exits 0 hecv check %S/swapped.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 3 hecv check %S/swapped.src.mlir %s --engine theorems --no-dynamic-rules | FileCheck %s --check-prefix=WITHOUT
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @f
// WITHOUT: {{^}}unknown: @f

func.func @f(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>, %D: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%i] : memref<?xf32>
    %d = arith.addf %a, %a : f32
    memref.store %d, %D[%i] : memref<?xf32>
    %e = arith.mulf %a, %a : f32
    affine.store %e, %D[%i + 1] : memref<?xf32>
    memref.store %a, %C[%b] : memref<?xf32>
  }
  return
}
