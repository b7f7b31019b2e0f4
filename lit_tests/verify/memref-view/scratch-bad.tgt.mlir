// Written by hand: tiles by way of a buffer of bytes, which two views share.
// Verdict: not equivalent
// Changed: the second view begins within the first one; it was
//   %c16 = arith.constant 16 : index
// RUN: %exits 1 hecv check %S/scratch.src.mlir %s | FileCheck %s
// CHECK: {{^}}not equivalent: @f
// CHECK:   = note: both were run on this input by the interpreter and by MLIR's JIT

func.func @f(%a: memref<16xf32>, %b: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 8 : index
  affine.for %t = 0 to 16 step 4 {
    %buf = memref.alloca() : memref<32xi8>
    %p = memref.view %buf[%c0][] : memref<32xi8> to memref<4xf32>
    %q = memref.view %buf[%c16][] : memref<32xi8> to memref<2x2xf32>
    affine.for %i = 0 to 4 {
      %x = affine.load %a[%t + %i] : memref<16xf32>
      affine.store %x, %p[%i] : memref<4xf32>
    }
    affine.for %i = 0 to 4 {
      %x = affine.load %p[%i] : memref<4xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %q[%i floordiv 2, %i mod 2] : memref<2x2xf32>
    }
    affine.for %i = 0 to 2 { affine.for %j = 0 to 2 {
      %x = affine.load %q[%i, %j] : memref<2x2xf32>
      affine.store %x, %b[%t + 2 * %i + %j] : memref<16xf32>
    } }
  }
  return
}
