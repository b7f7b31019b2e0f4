// Nests of every shape: the source of the targets beside it, each of which has the functions that its passes change.
func.func @constant(%A: memref<13x7xf32>, %B: memref<7x11xf32>, %C: memref<13x11xf32>) {
  affine.for %i = 0 to 13 {
    affine.for %j = 0 to 11 {
      affine.for %k = 0 to 7 {
        %a = affine.load %A[%i, %k] : memref<13x7xf32>
        %b = affine.load %B[%k, %j] : memref<7x11xf32>
        %c = affine.load %C[%i, %j] : memref<13x11xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<13x11xf32>
      }
    }
  }
  return
}

func.func @symbolic(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index, %m: index, %l: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %l {
        %a = affine.load %A[%i, %k] : memref<?x?xf32>
        %b = affine.load %B[%k, %j] : memref<?x?xf32>
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @imperfect(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %n: index, %m: index) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.store %zero, %y[%i] : memref<?xf32>
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %x[%j] : memref<?xf32>
      %c = affine.load %y[%i] : memref<?xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      affine.store %s, %y[%i] : memref<?xf32>
    }
    %r = affine.load %y[%i] : memref<?xf32>
    %t = arith.addf %r, %r : f32
    affine.store %t, %y[%i] : memref<?xf32>
  }
  return
}

func.func @triangular(%A: memref<?x?xf32>, %x: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %x[%j] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @substitution(%L: memref<?x?xf32>, %b: memref<?xf32>, %x: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %v = affine.load %b[%i] : memref<?xf32>
    affine.store %v, %x[%i] : memref<?xf32>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %l = affine.load %L[%i, %j] : memref<?x?xf32>
      %w = affine.load %x[%j] : memref<?xf32>
      %o = affine.load %x[%i] : memref<?xf32>
      %p = arith.mulf %l, %w : f32
      %s = arith.subf %o, %p : f32
      affine.store %s, %x[%i] : memref<?xf32>
    }
    %d = affine.load %L[%i, %i] : memref<?x?xf32>
    %u = affine.load %x[%i] : memref<?xf32>
    %q = arith.divf %u, %d : f32
    affine.store %q, %x[%i] : memref<?xf32>
  }
  return
}

func.func @trapezoid(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = max affine_map<(d0) -> (d0 - 3, 0)>(%i) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%i)[%n] {
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

func.func @bounds(%A: memref<?x?xf32>, %v: f32, %p: index, %q: index, %n: index, %m: index) {
  affine.for %i = max affine_map<()[s0, s1] -> (s0, s1, 0)>()[%p, %q] to min affine_map<()[s0, s1] -> (s0, s1 + 2)>()[%n, %m] {
    affine.for %j = 0 to min affine_map<(d0)[s0] -> (s0, 17, d0 * 2)>(%i)[%m] {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %s = arith.mulf %a, %v : f32
      affine.store %s, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @guarded(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%i, %j) {
        %b = affine.load %B[%i, %j] : memref<?x?xf32>
        %s = arith.addf %a, %b : f32
        affine.store %s, %B[%i, %j] : memref<?x?xf32>
      } else {
        affine.store %a, %B[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @carried(%A: memref<?x?xf32>, %y: memref<?xf32>, %n: index, %m: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %total = affine.for %i = 0 to %n iter_args(%outer = %zero) -> f32 {
    %sum = affine.for %j = 0 to %m iter_args(%inner = %outer) -> f32 {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %s = arith.addf %inner, %a : f32
      affine.yield %s : f32
    }
    affine.store %sum, %y[%i] : memref<?xf32>
    affine.yield %sum : f32
  }
  return %total : f32
}

func.func @local(%A: memref<?x?xf32>, %y: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %t = memref.alloc() : memref<16xf32>
    affine.for %j = 0 to 16 {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %s = arith.mulf %a, %a : f32
      affine.store %s, %t[%j] : memref<16xf32>
    }
    affine.for %k = 0 to 16 {
      %b = affine.load %t[15 - %k] : memref<16xf32>
      %c = affine.load %y[%i] : memref<?xf32>
      %s = arith.addf %b, %c : f32
      affine.store %s, %y[%i] : memref<?xf32>
    }
    memref.dealloc %t : memref<16xf32>
  }
  return
}

func.func @stencil(%A: memref<?xf32>, %steps: index, %n: index) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %a = affine.load %A[%i - 1] : memref<?xf32>
      %b = affine.load %A[%i] : memref<?xf32>
      %c = affine.load %A[%i + 1] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      %u = arith.addf %s, %c : f32
      affine.store %u, %A[%i] : memref<?xf32>
    }
  }
  return
}
