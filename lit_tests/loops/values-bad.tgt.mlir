// By hand: no pass of mlir-opt makes these., then changed
// Verdict: not equivalent
// Changed: @fuse_slice: the slice of the producer is too short: an element that was never written
// Changed: @fuse_shifted: the consumer gets the value before the producer's op
// Changed: @fuse_triangular: a value of the other loop
// Changed: @promote: a store out of a loop that may not run: out of bounds where the source is not
// Changed: @hoist: a flag that the source lacks
// Changed: @sink: the first value, not the last
// Changed: @rotate: the kept values rotate the wrong way
// Changed: @rotate_in_place: the value before the store is kept
// Changed: @contract: another element of the smaller buffer
// Changed: @window: an element of the window that is no longer there
// Changed: @layout: written as it is read: no transposition is left
// Changed: @copies: copy-out of a whole tile, the last one too: elements that were never written
// RUN: %exits 1 hecv check %S/values.src.mlir %s --func fuse_slice --func fuse_shifted --func fuse_triangular --func promote --func hoist --func sink --func rotate --func rotate_in_place --func contract --func window --func layout --func copies | FileCheck %s
// CHECK: {{^}}not equivalent: @fuse_slice
// CHECK: {{^}}not equivalent: @fuse_shifted
// CHECK: {{^}}not equivalent: @fuse_triangular
// CHECK: {{^}}not equivalent: @promote
// CHECK: {{^}}not equivalent: @hoist
// CHECK: {{^}}not equivalent: @sink
// CHECK: {{^}}not equivalent: @rotate
// CHECK: {{^}}not equivalent: @rotate_in_place
// CHECK: {{^}}not equivalent: @contract
// CHECK: {{^}}not equivalent: @window
// CHECK: {{^}}not equivalent: @layout
// CHECK: {{^}}not equivalent: @copies

func.func @fuse_slice(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %t = memref.alloca() : memref<3xf32>
    affine.for %k = 0 to 2 {
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
      %u = arith.mulf %x, %a : f32
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
      %p = arith.mulf %b, %c : f32
      affine.store %p, %y[%i] : memref<?xf32>
    }
  }
  return
}

func.func @promote(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  affine.if affine_set<()[s0] : (s0 >= 0)>()[%m] {
    affine.for %i = 0 to %n {
      %first = affine.load %y[%i + 0 * %m] : memref<?xf32>
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
  %d = arith.mulf %c, %c fastmath<nnan> : f32
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
    %a = affine.load %A[0] : memref<?xf32>
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
      affine.yield %c, %b : f32, f32
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
      affine.yield %b : f32
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
      %a = affine.load %t[(8 - %j) mod 8] : memref<8xf32>
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
      %x = affine.load %t[(%i + 2) mod 3] : memref<3xf32>
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
        affine.store %a, %t[%i mod 2, %j, %k] : memref<2x4x5xf32>
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
    affine.for %i = affine_map<(d0) -> (d0)>(%ii) to affine_map<(d0) -> (d0 + 16)>(%ii) {
      %a = affine.load %t[%i - %ii] : memref<16xf32>
      affine.store %a, %A[%i] : memref<?xf32>
    }
    memref.dealloc %t : memref<16xf32>
  }
  return
}
