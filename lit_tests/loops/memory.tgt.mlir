// By hand: no pass of mlir-opt makes these.
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/memory.src.mlir %s --func flat --func collapsed --func windowed --func transposed | FileCheck %s
// CHECK: {{^}}equivalent: @flat
// CHECK: {{^}}equivalent: @collapsed
// CHECK: {{^}}equivalent: @windowed
// CHECK: {{^}}equivalent: @transposed

func.func @flat(%A: memref<?x8xf32>, %B: memref<?x8xf32>, %n: index) {
  %t = memref.alloc() : memref<32xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<?x8xf32>
      affine.store %a, %t[(%i mod 4) * 8 + %j] : memref<32xf32>
      %b = affine.load %t[(%i mod 4) * 8 + %j] : memref<32xf32>
      affine.store %b, %B[%i, 7 - %j] : memref<?x8xf32>
    }
  }
  memref.dealloc %t : memref<32xf32>
  return
}

func.func @collapsed(%A: memref<6x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %c = memref.collapse_shape %A [[0, 1]] : memref<6x8xf32> into memref<48xf32>
  %e = memref.expand_shape %c [[0, 1, 2]] output_shape [3, 4, 4] : memref<48xf32> into memref<3x4x4xf32>
  scf.for %k = %c0 to %c48 step %c1 {
    %d:3 = affine.delinearize_index %k into (3, 4, 4) : index, index, index
    %a = memref.load %e[%d#0, %d#1, %d#2] : memref<3x4x4xf32>
    %s = arith.addf %a, %a : f32
    memref.store %s, %c[%k] : memref<48xf32>
  }
  return
}

func.func @windowed(%A: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %ii = %c0 to %n step %c4 {
    %h = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%ii)[%n]
    scf.for %jj = %c0 to %n step %c4 {
      %w = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%jj)[%n]
      %v = memref.subview %A[%ii, %jj] [%h, %w] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
      scf.for %i = %c0 to %h step %c1 {
        scf.for %j = %c0 to %w step %c1 {
          %a = memref.load %v[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
          %s = arith.addf %a, %a : f32
          memref.store %s, %v[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
        }
      }
    }
  }
  return
}

func.func @transposed(%A: memref<?x4xf32>, %B: memref<?x4xf32>, %n: index) {
  %v = memref.transpose %B (i, j) -> (j, i) : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
  affine.for %j = 0 to 4 {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x4xf32>
      affine.store %a, %v[3 - %j, %i] : memref<4x?xf32, strided<[1, 4]>>
    }
  }
  return
}
