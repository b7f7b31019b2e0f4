// By hand: no pass of mlir-opt makes these., then changed
// Verdict: not equivalent
// Changed: @skew: one iteration more at the skewed end
// Changed: @wavefront: the last wave is left out
// Changed: @skew_tile: a skewed subscript
// Changed: @interchange: the triangle loses its diagonal
// Changed: @permute: two bounds stay where they were
// Changed: @reverse: the offset is lost
// Changed: @reverse_shift: in place: each iteration reads what the one before it wrote
// Changed: @distribute: the first loop reads what the second one writes
// Changed: @split: the second part starts below the first
// Changed: @peel: peeled without a look whether the loop runs
// Changed: @unswitch: the two loops are exchanged
// Changed: @unswitch_carried: one loop's result is lost
// RUN: %exits 1 hecv check %S/reorder.src.mlir %s --func skew --func wavefront --func skew_tile --func interchange --func permute --func reverse --func reverse_shift --func distribute --func split --func peel --func unswitch --func unswitch_carried | FileCheck %s
// CHECK: {{^}}not equivalent: @skew
// CHECK: {{^}}not equivalent: @wavefront
// CHECK: {{^}}not equivalent: @skew_tile
// CHECK: {{^}}not equivalent: @interchange
// CHECK: {{^}}not equivalent: @permute
// CHECK: {{^}}not equivalent: @reverse
// CHECK: {{^}}not equivalent: @reverse_shift
// CHECK: {{^}}not equivalent: @distribute
// CHECK: {{^}}not equivalent: @split
// CHECK: {{^}}not equivalent: @peel
// CHECK: {{^}}not equivalent: @unswitch
// CHECK: {{^}}not equivalent: @unswitch_carried

func.func @skew(%A: memref<?xf32>, %steps: index, %n: index) {
  affine.for %t = 0 to %steps {
    affine.for %k = affine_map<(d0) -> (2 * d0 + 1)>(%t) to affine_map<(d0, d1) -> (2 * d0 + d1)>(%t, %n) {
      %a = affine.load %A[%k - 2 * %t - 1] : memref<?xf32>
      %b = affine.load %A[%k - 2 * %t + 1] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%k - 2 * %t] : memref<?xf32>
    }
  }
  return
}

func.func @wavefront(%A: memref<?x?xf32>, %n: index, %m: index) {
  affine.for %w = 2 to affine_map<(d0, d1) -> (d0 + d1 - 2)>(%n, %m) {
    affine.for %i = max affine_map<(d0)[s0] -> (1, d0 - s0 + 1)>(%w)[%m] to min affine_map<(d0)[s0] -> (d0, s0)>(%w)[%n] {
      %a = affine.load %A[%i - 1, %w - %i] : memref<?x?xf32>
      %b = affine.load %A[%i, %w - %i - 1] : memref<?x?xf32>
      %s = arith.mulf %a, %b : f32
      affine.store %s, %A[%i, %w - %i] : memref<?x?xf32>
    }
  }
  return
}

func.func @skew_tile(%A: memref<?xf32>, %steps: index, %n: index) {
  affine.for %tt = 0 to %steps step 4 {
    affine.for %kk = affine_map<(d0) -> (d0 + 1)>(%tt) to affine_map<(d0)[s0] -> (d0 + s0 + 2)>(%tt)[%n] step 8 {
      affine.for %t = affine_map<(d0) -> (d0)>(%tt) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%tt)[%steps] {
        affine.for %k = max affine_map<(d0, d1) -> (d0, d1 + 1)>(%kk, %t) to min affine_map<(d0, d1)[s0] -> (d0 + 8, d1 + s0 - 1)>(%kk, %t)[%n] {
          %a = affine.load %A[%k - %t] : memref<?xf32>
          %b = affine.load %A[%k - %t + 1] : memref<?xf32>
          %s = arith.addf %a, %b : f32
          affine.store %s, %A[%k - %t] : memref<?xf32>
        }
      }
    }
  }
  return
}

func.func @interchange(%A: memref<?x?xf32>, %n: index) {
  affine.for %j = 0 to %n {
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%j) {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @permute(%A: memref<?x?x?xf32>, %n: index, %m: index, %l: index) {
  affine.for %j = 1 to %l {
    affine.for %k = 0 to %m {
      affine.for %i = 0 to %n {
        %a = affine.load %A[%i, %j - 1, %k] : memref<?x?x?xf32>
        affine.store %a, %A[%i, %j, %k] : memref<?x?x?xf32>
      }
    }
  }
  return
}

func.func @reverse(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%n - 1 - %i] : memref<?xf32>
    affine.store %a, %B[%n - 1 - %i] : memref<?xf32>
  }
  return
}

func.func @reverse_shift(%A: memref<?xf32>, %n: index) {
  %e = affine.max affine_map<()[s0] -> (s0, 0)>()[%n]
  %t = memref.alloc(%e) : memref<?xf32>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%n - %i] : memref<?xf32>
    affine.store %a, %A[%n - 1 - %i] : memref<?xf32>
  }
  memref.dealloc %t : memref<?xf32>
  return
}

func.func @distribute(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 1 to %n {
    %a = affine.load %B[%i - 1] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %A[%i] : memref<?xf32>
  }
  affine.for %i = 1 to %n {
    %b = affine.load %A[%i] : memref<?xf32>
    %c = affine.load %C[%i] : memref<?xf32>
    %p = arith.mulf %b, %c : f32
    affine.store %p, %B[%i] : memref<?xf32>
  }
  return
}

func.func @split(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %m: index) {
  affine.for %i = 0 to min affine_map<()[s0, s1] -> (s0, s1)>()[%n, %m] {
    %a = affine.load %A[%i] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %B[%i] : memref<?xf32>
  }
  affine.for %i = affine_map<()[s0] -> (s0)>()[%m] to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  return
}

func.func @peel(%A: memref<?xf32>, %n: index) {
  %c = arith.constant 1.0 : f32
  affine.if affine_set<()[s0] : (s0 >= 0)>()[%n] {
    affine.store %c, %A[0] : memref<?xf32>
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %a = affine.load %A[%i] : memref<?xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %A[%i] : memref<?xf32>
    }
    affine.store %c, %A[symbol(%n) - 1] : memref<?xf32>
  }
  return
}

func.func @unswitch(%A: memref<?xf32>, %n: index, %p: i1) {
  %q = arith.constant true
  %r = arith.xori %p, %q : i1
  scf.if %r {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf32>
      %s = arith.addf %a, %a : f32
      affine.store %s, %A[%i] : memref<?xf32>
    }
  } else {
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xf32>
      %s = arith.mulf %a, %a : f32
      affine.store %s, %A[%i] : memref<?xf32>
    }
  }
  return
}

func.func @unswitch_carried(%A: memref<?xf32>, %n: index, %m: index) -> f32 {
  %z = arith.constant 0.0 : f32
  %r = affine.if affine_set<()[s0] : (s0 - 3 >= 0)>()[%m] -> f32 {
    %x = affine.for %i = 0 to %n iter_args(%x = %z) -> f32 {
      %a = affine.load %A[%i] : memref<?xf32>
      %s = arith.addf %x, %a : f32
      affine.yield %s : f32
    }
    affine.yield %x : f32
  } else {
    %x = affine.for %i = 0 to %n iter_args(%x = %z) -> f32 {
      %a = affine.load %A[%i] : memref<?xf32>
      %s = arith.mulf %x, %a : f32
      affine.yield %s : f32
    }
    affine.yield %z : f32
  }
  return %r : f32
}
