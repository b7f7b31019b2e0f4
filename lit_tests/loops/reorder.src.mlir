// Nests that are skewed, run in wavefronts, reversed, distributed, split by their index set and unswitched.
func.func @skew(%A: memref<?xf32>, %steps: index, %n: index) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %a = affine.load %A[%i - 1] : memref<?xf32>
      %b = affine.load %A[%i + 1] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%i] : memref<?xf32>
    }
  }
  return
}
func.func @wavefront(%A: memref<?x?xf32>, %n: index, %m: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %m {
      %a = affine.load %A[%i - 1, %j] : memref<?x?xf32>
      %b = affine.load %A[%i, %j - 1] : memref<?x?xf32>
      %s = arith.mulf %a, %b : f32
      affine.store %s, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
func.func @skew_tile(%A: memref<?xf32>, %steps: index, %n: index) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %a = affine.load %A[%i - 1] : memref<?xf32>
      %b = affine.load %A[%i + 1] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%i] : memref<?xf32>
    }
  }
  return
}
func.func @interchange(%A: memref<?x?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
func.func @permute(%A: memref<?x?x?xf32>, %n: index, %m: index, %l: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 1 to %m {
      affine.for %k = 0 to %l {
        %a = affine.load %A[%i, %j - 1, %k] : memref<?x?x?xf32>
        affine.store %a, %A[%i, %j, %k] : memref<?x?x?xf32>
      }
    }
  }
  return
}
func.func @reverse(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %B[%i + 1] : memref<?xf32>
  }
  return
}
func.func @reverse_shift(%A: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i + 1] : memref<?xf32>
    affine.store %a, %A[%i] : memref<?xf32>
  }
  return
}
func.func @distribute(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %A[%i] : memref<?xf32>
    %b = affine.load %A[%i] : memref<?xf32>
    %c = affine.load %C[%i] : memref<?xf32>
    %p = arith.mulf %b, %c : f32
    affine.store %p, %B[%i] : memref<?xf32>
  }
  return
}
func.func @split(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.if affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>(%i)[%m] {
      %s = arith.addf %a, %a : f32
      affine.store %s, %B[%i] : memref<?xf32>
    } else {
      affine.store %a, %B[%i] : memref<?xf32>
    }
  }
  return
}
func.func @peel(%A: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %c = arith.constant 1.0 : f32
    affine.if affine_set<(d0)[s0] : (d0 == 0)>(%i)[%n] {
      affine.store %c, %A[%i] : memref<?xf32>
    } else {
      affine.if affine_set<(d0)[s0] : (d0 - s0 + 1 == 0)>(%i)[%n] {
        affine.store %c, %A[%i] : memref<?xf32>
      } else {
        %s = arith.addf %a, %a : f32
        affine.store %s, %A[%i] : memref<?xf32>
      }
    }
  }
  return
}
func.func @unswitch(%A: memref<?xf32>, %n: index, %p: i1) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    scf.if %p {
      %s = arith.addf %a, %a : f32
      affine.store %s, %A[%i] : memref<?xf32>
    } else {
      %s = arith.mulf %a, %a : f32
      affine.store %s, %A[%i] : memref<?xf32>
    }
  }
  return
}
func.func @unswitch_carried(%A: memref<?xf32>, %n: index, %m: index) -> f32 {
  %z = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to %n iter_args(%x = %z) -> f32 {
    %a = affine.load %A[%i] : memref<?xf32>
    %q = affine.if affine_set<()[s0] : (s0 - 3 >= 0)>()[%m] -> f32 {
      %s = arith.addf %x, %a : f32
      affine.yield %s : f32
    } else {
      %s = arith.mulf %x, %a : f32
      affine.yield %s : f32
    }
    affine.yield %q : f32
  }
  return %r : f32
}
