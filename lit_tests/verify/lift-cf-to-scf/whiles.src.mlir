// Loops whose number of turns only the data tell.

func.func @gcd(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%x = %a, %y = %b) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %y, %zero : i32
    scf.condition(%more) %x, %y : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    %rest = arith.remui %x, %y : i32
    scf.yield %y, %rest : i32, i32
  }
  return %r#0 : i32
}

// Newton's square root, to a tolerance; each guess is kept.
func.func @root(%a: f64, %tolerance: f64, %guess: memref<1xf64>) -> f64 {
  %half = arith.constant 0.5 : f64
  %c0 = arith.constant 0 : index
  %r = scf.while (%x = %a) : (f64) -> f64 {
    %square = arith.mulf %x, %x : f64
    %error = arith.subf %square, %a : f64
    %more = arith.cmpf ogt, %error, %tolerance : f64
    scf.condition(%more) %x : f64
  } do {
  ^bb0(%x: f64):
    %quotient = arith.divf %a, %x : f64
    %sum = arith.addf %x, %quotient : f64
    %next = arith.mulf %sum, %half : f64
    memref.store %next, %guess[%c0] : memref<1xf64>
    scf.yield %next : f64
  }
  return %r : f64
}

// The first element that is not 0, from the front.
func.func @find(%A: memref<?xi32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %false = arith.constant false
  %r = scf.while (%i = %c0) : (index) -> index {
    %inside = arith.cmpi slt, %i, %n : index
    %more = scf.if %inside -> i1 {
      %v = memref.load %A[%i] : memref<?xi32>
      %none = arith.cmpi eq, %v, %zero : i32
      scf.yield %none : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return %r : index
}

// Jacobi sweeps until the largest change is small; a buffer of its own.
func.func @jacobi(%A: memref<?xf64>, %eps: f64) -> i32 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf64>
  %big = arith.constant 1.0e+10 : f64
  %zero = arith.constant 0.0 : f64
  %third = arith.constant 0.333 : f64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %B = memref.alloc(%n) : memref<?xf64>
  %r:2 = scf.while (%change = %big, %turns = %i0) : (f64, i32) -> (f64, i32) {
    %more = arith.cmpf ogt, %change, %eps : f64
    scf.condition(%more) %change, %turns : f64, i32
  } do {
  ^bb0(%change: f64, %turns: i32):
    affine.for %i = 1 to affine_map<()[s] -> (s - 1)>()[%n] {
      %a = affine.load %A[%i - 1] : memref<?xf64>
      %b = affine.load %A[%i] : memref<?xf64>
      %c = affine.load %A[%i + 1] : memref<?xf64>
      %s = arith.addf %a, %b : f64
      %t = arith.addf %s, %c : f64
      %u = arith.mulf %t, %third : f64
      affine.store %u, %B[%i] : memref<?xf64>
    }
    %most = affine.for %i = 1 to affine_map<()[s] -> (s - 1)>()[%n] iter_args(%m = %zero) -> f64 {
      %a = affine.load %A[%i] : memref<?xf64>
      %b = affine.load %B[%i] : memref<?xf64>
      affine.store %b, %A[%i] : memref<?xf64>
      %d = arith.subf %a, %b : f64
      %e = math.absf %d : f64
      %x = arith.maximumf %m, %e : f64
      affine.yield %x : f64
    }
    %next = arith.addi %turns, %i1 : i32
    scf.yield %most, %next : f64, i32
  }
  memref.dealloc %B : memref<?xf64>
  return %r#1 : i32
}

// Conjugate gradients until the residual is small.
func.func @cg(%A: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>, %r: memref<?xf64>, %p: memref<?xf64>, %q: memref<?xf64>, %eps: f64) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  %zero = arith.constant 0.0 : f64
  %rr0 = affine.for %i = 0 to %n iter_args(%s = %zero) -> f64 {
    %bi = affine.load %b[%i] : memref<?xf64>
    affine.store %zero, %x[%i] : memref<?xf64>
    affine.store %bi, %r[%i] : memref<?xf64>
    affine.store %bi, %p[%i] : memref<?xf64>
    %m = arith.mulf %bi, %bi : f64
    %t = arith.addf %s, %m : f64
    affine.yield %t : f64
  }
  %rr = scf.while (%s = %rr0) : (f64) -> f64 {
    %more = arith.cmpf ogt, %s, %eps : f64
    scf.condition(%more) %s : f64
  } do {
  ^bb0(%s: f64):
    affine.for %i = 0 to %n {
      affine.store %zero, %q[%i] : memref<?xf64>
      affine.for %j = 0 to %n {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %pj = affine.load %p[%j] : memref<?xf64>
        %m = arith.mulf %a, %pj : f64
        %o = affine.load %q[%i] : memref<?xf64>
        %t = arith.addf %o, %m : f64
        affine.store %t, %q[%i] : memref<?xf64>
      }
    }
    %pq = affine.for %i = 0 to %n iter_args(%u = %zero) -> f64 {
      %pi = affine.load %p[%i] : memref<?xf64>
      %qi = affine.load %q[%i] : memref<?xf64>
      %m = arith.mulf %pi, %qi : f64
      %t = arith.addf %u, %m : f64
      affine.yield %t : f64
    }
    %alpha = arith.divf %s, %pq : f64
    %next = affine.for %i = 0 to %n iter_args(%u = %zero) -> f64 {
      %xi = affine.load %x[%i] : memref<?xf64>
      %pi = affine.load %p[%i] : memref<?xf64>
      %ap = arith.mulf %alpha, %pi : f64
      %x1 = arith.addf %xi, %ap : f64
      affine.store %x1, %x[%i] : memref<?xf64>
      %ri = affine.load %r[%i] : memref<?xf64>
      %qi = affine.load %q[%i] : memref<?xf64>
      %aq = arith.mulf %alpha, %qi : f64
      %r1 = arith.subf %ri, %aq : f64
      affine.store %r1, %r[%i] : memref<?xf64>
      %m = arith.mulf %r1, %r1 : f64
      %t = arith.addf %u, %m : f64
      affine.yield %t : f64
    }
    %beta = arith.divf %next, %s : f64
    affine.for %i = 0 to %n {
      %ri = affine.load %r[%i] : memref<?xf64>
      %pi = affine.load %p[%i] : memref<?xf64>
      %bp = arith.mulf %beta, %pi : f64
      %t = arith.addf %ri, %bp : f64
      affine.store %t, %p[%i] : memref<?xf64>
    }
    scf.yield %next : f64
  }
  return
}
