// By hand: no pass of mlir-opt makes these., then changed
// Verdict: not equivalent
// Changed: @gather: the subscript of another iteration
// Changed: @scatter: reversed: two subscripts may be equal, and sums of floats have an order
// Changed: @both: the value before the first loop's op
// RUN: %exits 1 hecv check %S/indirect.src.mlir %s --func gather --func scatter --func both | FileCheck %s
// CHECK: {{^}}not equivalent: @gather
// CHECK: {{^}}not equivalent: @scatter
// CHECK: {{^}}not equivalent: @both

func.func @gather(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>, %n: index) {
  affine.for %ii = 0 to %n step 4 {
    affine.for %i = affine_map<(d0) -> (d0)>(%ii) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%ii)[%n] {
      %k = affine.load %B[%i] : memref<?xindex>
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
      %k = affine.load %B[%n - 1 - 4 * %ii - %i] : memref<?xindex>
      %a = affine.load %C[%n - 1 - 4 * %ii - %i] : memref<?xf32>
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
    memref.store %d, %A[%k] : memref<?xf32>
  }
  return
}
