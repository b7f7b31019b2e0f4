// Written by hand, as HLS code has it: neighbours in registers that shift, lines in buffers.
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/stencils.src.mlir %s | FileCheck %s
// CHECK: {{^}}equivalent: @rotating
// CHECK: {{^}}equivalent: @in_place
// CHECK: {{^}}equivalent: @lines
// CHECK: {{^}}equivalent: @ring_of_lines
// CHECK: {{^}}equivalent: @registers

func.func @rotating(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  %c2 = arith.constant 2 : index
  affine.if affine_set<(n) : (n - 3 >= 0)>(%n) {
    %0 = affine.load %a[0] : memref<?xf32>
    %1 = affine.load %a[1] : memref<?xf32>
    %last:2 = affine.for %i = 1 to affine_map<(n) -> (n - 1)>(%n) iter_args(%l = %0, %m = %1) -> (f32, f32) {
      %r = affine.load %a[%i + 1] : memref<?xf32>
      %s = arith.addf %l, %m : f32
      %t = arith.addf %s, %r : f32
      affine.store %t, %b[%i] : memref<?xf32>
      affine.yield %m, %r : f32, f32
    }
  }
  return
}
func.func @in_place(%a: memref<?xf32>, %n: index) {
  affine.if affine_set<(n) : (n - 3 >= 0)>(%n) {
    %0 = affine.load %a[0] : memref<?xf32>
    %1 = affine.load %a[1] : memref<?xf32>
    %last:2 = affine.for %i = 1 to affine_map<(n) -> (n - 1)>(%n) iter_args(%l = %0, %m = %1) -> (f32, f32) {
      %r = affine.load %a[%i + 1] : memref<?xf32>
      %s = arith.addf %l, %m : f32
      %t = arith.addf %s, %r : f32
      affine.store %t, %a[%i] : memref<?xf32>
      affine.yield %t, %r : f32, f32
    }
  }
  return
}
func.func @lines(%a: memref<?x16xf32>, %b: memref<?x16xf32>, %n: index) {
  affine.if affine_set<(n) : (n - 3 >= 0)>(%n) {
    %t = memref.alloc() : memref<2x16xf32>
    affine.for %r = 0 to 2 {
      affine.for %j = 0 to 16 {
        %v = affine.load %a[%r, %j] : memref<?x16xf32>
        affine.store %v, %t[%r, %j] : memref<2x16xf32>
      }
    }
    affine.for %i = 2 to %n {
      affine.for %j = 0 to 16 {
        %d = affine.load %a[%i, %j] : memref<?x16xf32>
        affine.if affine_set<(j) : (j - 1 >= 0, 14 - j >= 0)>(%j) {
          %u = affine.load %t[0, %j] : memref<2x16xf32>
          %l = affine.load %a[%i - 1, %j - 1] : memref<?x16xf32>
          %r = affine.load %t[1, %j + 1] : memref<2x16xf32>
          %s = arith.addf %u, %l : f32
          %t1 = arith.addf %s, %r : f32
          %v = arith.addf %t1, %d : f32
          affine.store %v, %b[%i - 1, %j] : memref<?x16xf32>
        }
        %m = affine.load %t[1, %j] : memref<2x16xf32>
        affine.store %m, %t[0, %j] : memref<2x16xf32>
        affine.store %d, %t[1, %j] : memref<2x16xf32>
      }
    }
  }
  return
}
func.func @ring_of_lines(%a: memref<?x16xf32>, %b: memref<?x16xf32>, %n: index) {
  affine.if affine_set<(n) : (n - 3 >= 0)>(%n) {
    %t = memref.alloc() : memref<3x16xf32>
    affine.for %i = 0 to %n {
      affine.for %j = 0 to 16 {
        %v = affine.load %a[%i, %j] : memref<?x16xf32>
        affine.store %v, %t[%i mod 3, %j] : memref<3x16xf32>
      }
      affine.if affine_set<(i) : (i - 2 >= 0)>(%i) {
        affine.for %j = 1 to 15 {
          %u = affine.load %t[(%i - 2) mod 3, %j] : memref<3x16xf32>
          %l = affine.load %t[(%i - 1) mod 3, %j - 1] : memref<3x16xf32>
          %r = affine.load %t[(%i - 1) mod 3, %j + 1] : memref<3x16xf32>
          %d = affine.load %t[%i mod 3, %j] : memref<3x16xf32>
          %s = arith.addf %u, %l : f32
          %t1 = arith.addf %s, %r : f32
          %v = arith.addf %t1, %d : f32
          affine.store %v, %b[%i - 1, %j] : memref<?x16xf32>
        }
      }
    }
  }
  return
}
func.func @registers(%a: memref<64xf32>, %b: memref<60xf32>) {
  %zero = arith.constant 0.0 : f32
  %reg = memref.alloca() : memref<5xf32>
  affine.for %k = 0 to 5 {
    affine.store %zero, %reg[%k] : memref<5xf32>
  }
  affine.for %i = 0 to 64 {
    affine.for %k = 0 to 4 {
      %v = affine.load %reg[%k + 1] : memref<5xf32>
      affine.store %v, %reg[%k] : memref<5xf32>
    }
    %in = affine.load %a[%i] : memref<64xf32>
    affine.store %in, %reg[4] : memref<5xf32>
    affine.if affine_set<(i) : (i - 4 >= 0)>(%i) {
      %s = affine.for %k = 0 to 5 iter_args(%acc = %zero) -> (f32) {
        %v = affine.load %reg[%k] : memref<5xf32>
        %t = arith.addf %acc, %v : f32
        affine.yield %t : f32
      }
      affine.store %s, %b[%i - 4] : memref<60xf32>
    }
  }
  return
}
