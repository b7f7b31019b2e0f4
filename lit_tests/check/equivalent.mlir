// The target comes from a pipe.
// RUN: mlir-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))' \
// RUN:   | %exits 0 hecv check %s - | FileCheck %s

// The source may come from one too, and the other way round holds as well.
// RUN: mlir-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))' \
// RUN:   | %exits 0 hecv check - %s --relation equivalent | FileCheck %s

// Several passes at once.
// RUN: mlir-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4},affine-loop-unroll{unroll-factor=3},affine-scalrep,canonicalize,cse))' \
// RUN:   | %exits 0 hecv check %s - | FileCheck %s

// The loops of the target are scf, its subscripts arith.
// RUN: mlir-opt %s --pass-pipeline='builtin.module(lower-affine,func.func(canonicalize))' \
// RUN:   | %exits 0 hecv check %s - | FileCheck %s

// CHECK: {{^}}equivalent: @gemm (proved; {{[0-9]+}} runs; {{[0-9.]+}} s)
// CHECK-NEXT: {{^}}equivalent: @triangle
// CHECK-EMPTY:
// CHECK-NEXT: = assumes: arguments and their memory hold no poison
// CHECK-NEXT: = assumes: memref arguments do not overlap (--alias) [@gemm]
// CHECK-NOT: {{^[a-z]}}
func.func @gemm(%A: memref<6x7xf32>, %B: memref<7x5xf32>, %C: memref<6x5xf32>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 5 {
      affine.for %k = 0 to 7 {
        %a = affine.load %A[%i, %k] : memref<6x7xf32>
        %b = affine.load %B[%k, %j] : memref<7x5xf32>
        %c = affine.load %C[%i, %j] : memref<6x5xf32>
        %ab = arith.mulf %a, %b : f32
        %d = arith.addf %c, %ab : f32
        affine.store %d, %C[%i, %j] : memref<6x5xf32>
      }
    }
  }
  return
}

func.func @triangle(%A: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      affine.store %x, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
