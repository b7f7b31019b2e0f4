// By hand: no pass of mlir-opt makes these.
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/indirect.src.mlir %s --func gather --func scatter --func both | FileCheck %s
// CHECK: {{^}}equivalent: @gather
// CHECK: {{^}}equivalent: @scatter
// CHECK: {{^}}equivalent: @both

func.func @gather(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>, %n: index) {
  affine.for %ii = 0 to %n step 4 {
    affine.for %i = affine_map<(d0) -> (d0)>(%ii) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%ii)[%n] {
      %k = affine.load %B[%n - 1 - %i] : memref<?xindex>
      %a = memref.load %A[%k] : memref<?xf32>
      %c = affine.load %C[%n - 1 - %i] : memref<?xf32>
      %s = arith.addf %c, %a : f32
      affine.store %s, %C[%n - 1 - %i] : memref<?xf32>
    }
  }
  return
}

func.func @scatter(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>, %n: index) {
  affine.for %ii = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%n] {
    affine.for %i = 0 to min affine_map<(d0)[s0] -> (4, s0 - 4 * d0)>(%ii)[%n] {
      %k = affine.load %B[4 * %ii + %i] : memref<?xindex>
      %a = affine.load %C[4 * %ii + %i] : memref<?xf32>
      %c = memref.load %A[%k] : memref<?xf32>
      %s = arith.addf %a, %c : f32
      memref.store %s, %A[%k] : memref<?xf32>
    }
  }
  return
}

func.func @both(%A: memref<?xf32>, %B: memref<?xindex>, %D: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %d = affine.load %D[%i] : memref<?xf32>
    %e = arith.mulf %d, %d : f32
    affine.store %e, %D[%i] : memref<?xf32>
    %k = affine.load %B[%i] : memref<?xindex>
    memref.store %e, %A[%k] : memref<?xf32>
  }
  return
}
