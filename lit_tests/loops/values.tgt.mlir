// By hand: no pass of mlir-opt makes these.
// Verdict: equivalent, refines where CHECK says so
// RUN: %exits 0 hecv check %S/values.src.mlir %s --func fuse_slice --func fuse_shifted --func fuse_triangular --func promote --func hoist --func sink --func rotate --func rotate_in_place --func contract --func window --func layout --func copies | FileCheck %s
// CHECK: {{^}}refines: @fuse_slice
// CHECK: {{^}}equivalent: @fuse_shifted
// CHECK: {{^}}equivalent: @fuse_triangular
// CHECK: {{^}}equivalent: @promote
// CHECK: {{^}}equivalent: @hoist
// CHECK: {{^}}equivalent: @sink
// CHECK: {{^}}equivalent: @rotate
// CHECK: {{^}}equivalent: @rotate_in_place
// CHECK: {{^}}equivalent: @contract
// CHECK: {{^}}equivalent: @window
// CHECK: {{^}}equivalent: @layout
// CHECK: {{^}}equivalent: @copies

func.func @fuse_slice(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %t = memref.alloca() : memref<3xf32>
    affine.for %k = 0 to 3 {
      %a = affine.load %A[%i + %k] : memref<?xf32>
      %s = arith.mulf %a, %a : f32
      affine.store %s, %t[%k] : memref<3xf32>
    }
    %x = affine.load %t[0] : memref<3xf32>
    %y = affine.load %t[1] : memref<3xf32>
    %z = affine.load %t[2] : memref<3xf32>
    %u = arith.addf %x, %y : f32
    %v = arith.addf %u, %z : f32
    affine.store %v, %B[%i] : memref<?xf32>
  }
  return
}

func.func @fuse_shifted(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %B[%i] : memref<?xf32>
    affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) {
      %x = affine.load %B[%i - 1] : memref<?xf32>
      %u = arith.mulf %x, %s : f32
      affine.store %u, %C[%i] : memref<?xf32>
    }
  }
  return
}

func.func @fuse_triangular(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %x[%i] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %x[%i] : memref<?xf32>
      %c = affine.load %y[%i] : memref<?xf32>
      %p = arith.mulf %a, %c : f32
      affine.store %p, %y[%i] : memref<?xf32>
    }
  }
  return
}

func.func @promote(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%m] {
    affine.for %i = 0 to %n {
      %first = affine.load %y[%i] : memref<?xf32>
      %sum = affine.for %j = 0 to %m iter_args(%c = %first) -> f32 {
        %a = affine.load %A[%i, %j] : memref<?x?xf32>
        %b = affine.load %x[%j] : memref<?xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.yield %s : f32
      }
      affine.store %sum, %y[%i] : memref<?xf32>
    }
  }
  return
}

func.func @hoist(%A: memref<?xf32>, %s: memref<1xf32>, %n: index) {
  %c = affine.load %s[0] : memref<1xf32>
  %d = arith.mulf %c, %c : f32
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = arith.addf %a, %d : f32
    affine.store %b, %A[%i] : memref<?xf32>
  }
  return
}

func.func @sink(%A: memref<?xf32>, %B: memref<?xf32>, %last: memref<1xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%n] {
    %a = affine.load %A[symbol(%n) - 1] : memref<?xf32>
    affine.store %a, %last[0] : memref<1xf32>
  }
  return
}

func.func @rotate(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.if affine_set<()[s0] : (s0 - 3 >= 0)>()[%n] {
    %x = affine.load %A[0] : memref<?xf32>
    %y = affine.load %A[1] : memref<?xf32>
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) iter_args(%a = %x, %b = %y) -> (f32, f32) {
      %c = affine.load %A[%i + 1] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      %t = arith.addf %s, %c : f32
      affine.store %t, %B[%i] : memref<?xf32>
      affine.yield %b, %c : f32, f32
    }
  }
  return
}

func.func @rotate_in_place(%A: memref<?xf32>, %n: index) {
  affine.if affine_set<()[s0] : (s0 - 2 >= 0)>()[%n] {
    %x = affine.load %A[0] : memref<?xf32>
    affine.for %i = 1 to %n iter_args(%a = %x) -> f32 {
      %b = affine.load %A[%i] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%i] : memref<?xf32>
      affine.yield %s : f32
    }
  }
  return
}

func.func @contract(%A: memref<?x8xf32>, %B: memref<?x8xf32>, %n: index) {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<?x8xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %t[%j] : memref<8xf32>
    }
    affine.for %j = 0 to 8 {
      %a = affine.load %t[7 - %j] : memref<8xf32>
      affine.store %a, %B[%i, %j] : memref<?x8xf32>
    }
  }
  memref.dealloc %t : memref<8xf32>
  return
}

func.func @window(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %t = memref.alloc() : memref<3xf32>
  affine.for %i = 0 to affine_map<(d0) -> (d0 + 2)>(%n) {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %t[%i mod 3] : memref<3xf32>
    affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {
      %x = affine.load %t[(%i + 1) mod 3] : memref<3xf32>
      %y = affine.load %t[%i mod 3] : memref<3xf32>
      %v = arith.subf %x, %y : f32
      affine.store %v, %B[%i - 2] : memref<?xf32>
    }
  }
  memref.dealloc %t : memref<3xf32>
  return
}

func.func @layout(%A: memref<?x16xf32>, %B: memref<?x16xf32>, %n: index) {
  %t = memref.alloc() : memref<2x4x5xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      affine.for %k = 0 to 4 {
        %a = affine.load %A[%i, %j * 4 + %k] : memref<?x16xf32>
        affine.store %a, %t[%i mod 2, %k, %j] : memref<2x4x5xf32>
      }
    }
    affine.for %j = 0 to 4 {
      affine.for %k = 0 to 4 {
        %a = affine.load %t[%i mod 2, %j, %k] : memref<2x4x5xf32>
        affine.store %a, %B[%i, %j * 4 + %k] : memref<?x16xf32>
      }
    }
  }
  memref.dealloc %t : memref<2x4x5xf32>
  return
}

func.func @copies(%A: memref<?xf32>, %n: index) {
  affine.for %ii = 0 to %n step 16 {
    %t = memref.alloc() : memref<16xf32>
    affine.for %i = affine_map<(d0) -> (d0)>(%ii) to min affine_map<(d0)[s0] -> (d0 + 16, s0)>(%ii)[%n] {
      %a = affine.load %A[%i] : memref<?xf32>
      affine.store %a, %t[%i - %ii] : memref<16xf32>
    }
    affine.for %i = affine_map<(d0) -> (d0)>(%ii) to min affine_map<(d0)[s0] -> (d0 + 16, s0)>(%ii)[%n] {
      %a = affine.load %t[%i - %ii] : memref<16xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %t[%i - %ii] : memref<16xf32>
    }
    affine.for %i = affine_map<(d0) -> (d0)>(%ii) to min affine_map<(d0)[s0] -> (d0 + 16, s0)>(%ii)[%n] {
      %a = affine.load %t[%i - %ii] : memref<16xf32>
      affine.store %a, %A[%i] : memref<?xf32>
    }
    memref.dealloc %t : memref<16xf32>
  }
  return
}
