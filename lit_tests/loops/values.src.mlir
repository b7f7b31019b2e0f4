// Nests that are fused, with values that are hoisted, sunk, forwarded and kept, and buffers that shrink and grow.
func.func @fuse_slice(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %e = affine.max affine_map<()[s0] -> (s0 + 2, 0)>()[%n]
  %t = memref.alloc(%e) : memref<?xf32>
  affine.for %i = 0 to affine_map<(d0) -> (d0 + 2)>(%n) {
    %a = affine.load %A[%i] : memref<?xf32>
    %s = arith.mulf %a, %a : f32
    affine.store %s, %t[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %t[%i] : memref<?xf32>
    %y = affine.load %t[%i + 1] : memref<?xf32>
    %z = affine.load %t[%i + 2] : memref<?xf32>
    %u = arith.addf %x, %y : f32
    %v = arith.addf %u, %z : f32
    affine.store %v, %B[%i] : memref<?xf32>
  }
  memref.dealloc %t : memref<?xf32>
  return
}
func.func @fuse_shifted(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %B[%i] : memref<?xf32>
  }
  affine.for %i = 1 to %n {
    %x = affine.load %B[%i - 1] : memref<?xf32>
    %y = affine.load %B[%i] : memref<?xf32>
    %u = arith.mulf %x, %y : f32
    affine.store %u, %C[%i] : memref<?xf32>
  }
  return
}
func.func @fuse_triangular(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %x[%i] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %x[%i] : memref<?xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %y[%i] : memref<?xf32>
      %s = arith.mulf %a, %b : f32
      affine.store %s, %y[%i] : memref<?xf32>
    }
  }
  return
}
func.func @promote(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %x[%j] : memref<?xf32>
      %c = affine.load %y[%i] : memref<?xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      affine.store %s, %y[%i] : memref<?xf32>
    }
  }
  return
}
func.func @hoist(%A: memref<?xf32>, %s: memref<1xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %c = affine.load %s[0] : memref<1xf32>
    %d = arith.mulf %c, %c : f32
    %a = affine.load %A[%i] : memref<?xf32>
    %b = arith.addf %a, %d : f32
    affine.store %b, %A[%i] : memref<?xf32>
  }
  return
}
func.func @sink(%A: memref<?xf32>, %B: memref<?xf32>, %last: memref<1xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %last[0] : memref<1xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  return
}
func.func @rotate(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
    %a = affine.load %A[%i - 1] : memref<?xf32>
    %b = affine.load %A[%i] : memref<?xf32>
    %c = affine.load %A[%i + 1] : memref<?xf32>
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %c : f32
    affine.store %t, %B[%i] : memref<?xf32>
  }
  return
}
func.func @rotate_in_place(%A: memref<?xf32>, %n: index) {
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xf32>
    %b = affine.load %A[%i] : memref<?xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %A[%i] : memref<?xf32>
  }
  return
}
func.func @contract(%A: memref<?x8xf32>, %B: memref<?x8xf32>, %n: index) {
  %e = affine.max affine_map<()[s0] -> (s0, 0)>()[%n]
  %t = memref.alloc(%e) : memref<?x8xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<?x8xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %t[%i, %j] : memref<?x8xf32>
    }
    affine.for %j = 0 to 8 {
      %a = affine.load %t[%i, 7 - %j] : memref<?x8xf32>
      affine.store %a, %B[%i, %j] : memref<?x8xf32>
    }
  }
  memref.dealloc %t : memref<?x8xf32>
  return
}
func.func @window(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %e = affine.max affine_map<()[s0] -> (s0 + 2, 0)>()[%n]
  %t = memref.alloc(%e) : memref<?xf32>
  affine.for %i = 0 to affine_map<(d0) -> (d0 + 2)>(%n) {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %t[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %t[%i] : memref<?xf32>
    %y = affine.load %t[%i + 2] : memref<?xf32>
    %v = arith.subf %x, %y : f32
    affine.store %v, %B[%i] : memref<?xf32>
  }
  memref.dealloc %t : memref<?xf32>
  return
}
func.func @layout(%A: memref<?x16xf32>, %B: memref<?x16xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %t = memref.alloc() : memref<4x4xf32>
    affine.for %j = 0 to 4 {
      affine.for %k = 0 to 4 {
        %a = affine.load %A[%i, %j * 4 + %k] : memref<?x16xf32>
        affine.store %a, %t[%j, %k] : memref<4x4xf32>
      }
    }
    affine.for %j = 0 to 4 {
      affine.for %k = 0 to 4 {
        %a = affine.load %t[%k, %j] : memref<4x4xf32>
        affine.store %a, %B[%i, %j * 4 + %k] : memref<?x16xf32>
      }
    }
    memref.dealloc %t : memref<4x4xf32>
  }
  return
}
func.func @copies(%A: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %A[%i] : memref<?xf32>
  }
  return
}
