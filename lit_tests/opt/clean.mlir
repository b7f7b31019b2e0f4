// A pipeline from affine loops to a control flow graph, every pass proved.
// RUN: %exits 0 hecv opt %s --pass-pipeline='canonicalize,cse,affine-loop-fusion,affine-scalrep,affine-loop-tile{tile-size=4},lower-affine,canonicalize,convert-scf-to-cf' | FileCheck %s

// CHECK:     {{^}}  1  canonicalize
// CHECK:     {{^}}  3  affine-loop-fusion             equivalent
// CHECK:     {{^}}  5  affine-loop-tile{tile-size=4}  equivalent
// CHECK:     {{^}}  6  lower-affine                   equivalent
// CHECK:     {{^}}  7  canonicalize
// CHECK:     {{^}}  8  convert-scf-to-cf              equivalent
// CHECK:     {{^}}equivalent: 8 passes (

func.func @scale(%A: memref<10xf32>, %B: memref<10xf32>) {
  %two = arith.constant 2.0 : f32
  %T = memref.alloc() : memref<10xf32>
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i] : memref<10xf32>
    affine.store %a, %T[%i] : memref<10xf32>
  }
  affine.for %i = 0 to 10 {
    %t = affine.load %T[%i] : memref<10xf32>
    %s = arith.mulf %t, %two : f32
    affine.store %s, %B[%i] : memref<10xf32>
  }
  memref.dealloc %T : memref<10xf32>
  return
}
