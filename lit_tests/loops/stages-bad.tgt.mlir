// Each stage by twiddle factors, changed by hand.
// Verdict: not equivalent
// Changed: the real part is read again after it was written
// RUN: %exits 1 hecv check %S/stages.src.mlir %s | FileCheck %s
// CHECK: not equivalent: @butterflies

func.func @butterflies(%re: memref<8xf32>, %im: memref<8xf32>, %wr: memref<4xf32>, %wi: memref<4xf32>) {
  affine.for %s = 0 to 3 {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %h = arith.shli %c1, %s : index
    %h2 = arith.shli %h, %c1 : index
    %ws = arith.divui %c4, %h : index
    scf.for %lo = %c0 to %h step %c1 {
      %t = arith.muli %lo, %ws : index
      %a = memref.load %wr[%t] : memref<4xf32>
      %b = memref.load %wi[%t] : memref<4xf32>
      scf.for %i = %lo to %c8 step %h2 {
        %j = arith.addi %i, %h : index
        %xr = memref.load %re[%i] : memref<8xf32>
        %xi = memref.load %im[%i] : memref<8xf32>
        %yr = memref.load %re[%j] : memref<8xf32>
        %yi = memref.load %im[%j] : memref<8xf32>
        %0 = arith.mulf %yr, %a : f32
        %1 = arith.mulf %yi, %b : f32
        %tr = arith.subf %0, %1 : f32
        %ur = arith.addf %xr, %tr : f32
        memref.store %ur, %re[%i] : memref<8xf32>
        %vr = arith.subf %xr, %tr : f32
        memref.store %vr, %re[%j] : memref<8xf32>
        %yr2 = memref.load %re[%j] : memref<8xf32>
        %2 = arith.mulf %yr2, %b : f32
        %3 = arith.mulf %yi, %a : f32
        %ti = arith.addf %3, %2 : f32
        %ui = arith.addf %xi, %ti : f32
        %vi = arith.subf %xi, %ti : f32
        memref.store %ui, %im[%i] : memref<8xf32>
        memref.store %vi, %im[%j] : memref<8xf32>
      }
    }
  }
  return
}
