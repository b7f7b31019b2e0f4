"""Programs with whiles that do not count, as compilers meet them."""

from __future__ import annotations

HEAP = """
func.func @f(%h: memref<?xi32>, %start: index, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %false = arith.constant false
  %r:2 = scf.while (%i = %start, %go = %true) : (index, i1) -> (index, i1) {
    %l = arith.muli %i, %c2 : index
    %l1 = arith.addi %l, %c1 : index
    %in = arith.cmpi slt, %l1, %n : index
    %c = arith.andi %in, %go : i1
    scf.condition(%c) %i, %go : index, i1
  } do {
  ^bb0(%i: index, %go: i1):
    %l = arith.muli %i, %c2 : index
    %l1 = arith.addi %l, %c1 : index
    %l2 = arith.addi %l, %c2 : index
    %hr = arith.cmpi slt, %l2, %n : index
    %a = memref.load %h[%l1] : memref<?xi32>
    %big = scf.if %hr -> index {
      %b = memref.load %h[%l2] : memref<?xi32>
      %g = arith.cmpi sgt, %b, %a : i32
      %k = arith.select %g, %l2, %l1 : index
      scf.yield %k : index
    } else {
      scf.yield %l1 : index
    }
    %v = memref.load %h[%i] : memref<?xi32>
    %w = memref.load %h[%big] : memref<?xi32>
    %sw = arith.cmpi sgt, %w, %v : i32
    %nx:2 = scf.if %sw -> (index, i1) {
      memref.store %w, %h[%i] : memref<?xi32>
      memref.store %v, %h[%big] : memref<?xi32>
      scf.yield %big, %true : index, i1
    } else {
      scf.yield %i, %false : index, i1
    }
    scf.yield %nx#0, %nx#1 : index, i1
  }
  return
}
"""
"""Sift-down of a heap: a turn loads an element only where it exists, and stores at an index that it has chosen."""

MERGE = """
func.func @f(%A: memref<?xi32>, %T: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = scf.while (%wd = %c1) : (index) -> index {
    %c = arith.cmpi slt, %wd, %n : index
    scf.condition(%c) %wd : index
  } do {
  ^bb0(%wd: index):
    %w2 = arith.addi %wd, %wd : index
    scf.for %lo = %c0 to %n step %w2 {
      %m0 = arith.addi %lo, %wd : index
      %mid = arith.minsi %m0, %n : index
      %h0 = arith.addi %lo, %w2 : index
      %hi = arith.minsi %h0, %n : index
      %r:3 = scf.while (%i = %lo, %j = %mid, %k = %lo) : (index, index, index) -> (index, index, index) {
        %ci = arith.cmpi slt, %i, %mid : index
        %cj = arith.cmpi slt, %j, %hi : index
        %c = arith.andi %ci, %cj : i1
        scf.condition(%c) %i, %j, %k : index, index, index
      } do {
      ^bb0(%i: index, %j: index, %k: index):
        %a = memref.load %A[%i] : memref<?xi32>
        %b = memref.load %A[%j] : memref<?xi32>
        %le = arith.cmpi sle, %a, %b : i32
        %x:2 = scf.if %le -> (index, index) {
          memref.store %a, %T[%k] : memref<?xi32>
          %i1 = arith.addi %i, %c1 : index
          scf.yield %i1, %j : index, index
        } else {
          memref.store %b, %T[%k] : memref<?xi32>
          %j1 = arith.addi %j, %c1 : index
          scf.yield %i, %j1 : index, index
        }
        %k1 = arith.addi %k, %c1 : index
        scf.yield %x#0, %x#1, %k1 : index, index, index
      }
      %r2:2 = scf.while (%i = %r#0, %k = %r#2) : (index, index) -> (index, index) {
        %ci = arith.cmpi slt, %i, %mid : index
        scf.condition(%ci) %i, %k : index, index
      } do {
      ^bb0(%i: index, %k: index):
        %a = memref.load %A[%i] : memref<?xi32>
        memref.store %a, %T[%k] : memref<?xi32>
        %i1 = arith.addi %i, %c1 : index
        %k1 = arith.addi %k, %c1 : index
        scf.yield %i1, %k1 : index, index
      }
      %r3:2 = scf.while (%j = %r#1, %k = %r2#1) : (index, index) -> (index, index) {
        %ci = arith.cmpi slt, %j, %hi : index
        scf.condition(%ci) %j, %k : index, index
      } do {
      ^bb0(%j: index, %k: index):
        %a = memref.load %A[%j] : memref<?xi32>
        memref.store %a, %T[%k] : memref<?xi32>
        %j1 = arith.addi %j, %c1 : index
        %k1 = arith.addi %k, %c1 : index
        scf.yield %j1, %k1 : index, index
      }
    }
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.load %T[%i] : memref<?xi32>
      memref.store %a, %A[%i] : memref<?xi32>
    }
    scf.yield %w2 : index
  }
  return
}
"""
"""Bottom-up merge sort: loops in a loop whose step a while carries."""

UNION_FIND = """
func.func @f(%p: memref<?xindex>, %x: index, %y: index) -> index {
  %r = scf.while (%i = %x) : (index) -> index {
    %q = memref.load %p[%i] : memref<?xindex>
    %c = arith.cmpi ne, %q, %i : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %q = memref.load %p[%i] : memref<?xindex>
    %g = memref.load %p[%q] : memref<?xindex>
    memref.store %g, %p[%i] : memref<?xindex>
    scf.yield %g : index
  }
  %s = scf.while (%i = %y) : (index) -> index {
    %q = memref.load %p[%i] : memref<?xindex>
    %c = arith.cmpi ne, %q, %i : index
    scf.condition(%c) %q : index
  } do {
  ^bb0(%i: index):
    scf.yield %i : index
  }
  %ne = arith.cmpi ne, %r, %s : index
  scf.if %ne {
    memref.store %r, %p[%s] : memref<?xindex>
  }
  return %r : index
}
"""
"""Union by link, find by path halving: memory is its own subscript."""

LOWER_BOUND = """
func.func @f(%A: memref<?xi32>, %n: index, %key: i32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.while (%lo = %c0, %hi = %n) : (index, index) -> (index, index) {
    %c = arith.cmpi slt, %lo, %hi : index
    scf.condition(%c) %lo, %hi : index, index
  } do {
  ^bb0(%lo: index, %hi: index):
    %s = arith.addi %lo, %hi : index
    %mid = arith.divsi %s, %c2 : index
    %v = memref.load %A[%mid] : memref<?xi32>
    %less = arith.cmpi slt, %v, %key : i32
    %x:2 = scf.if %less -> (index, index) {
      %m1 = arith.addi %mid, %c1 : index
      scf.yield %m1, %hi : index, index
    } else {
      scf.yield %lo, %mid : index, index
    }
    scf.yield %x#0, %x#1 : index, index
  }
  return %r#0 : index
}
"""
"""Binary search for the first element that is not less."""

PROBE = """
func.func @f(%keys: memref<?xi64>, %vals: memref<?xi64>, %key: i64, %val: i64, %cap: index) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %mul = arith.constant 2654435761 : i64
  %hsh = arith.muli %key, %mul : i64
  %hi = arith.index_cast %hsh : i64 to index
  %start = arith.remui %hi, %cap : index
  %r:2 = scf.while (%i = %start, %probes = %c0) : (index, i64) -> (index, i64) {
    %k = memref.load %keys[%i] : memref<?xi64>
    %e = arith.cmpi ne, %k, %c0 : i64
    %d = arith.cmpi ne, %k, %key : i64
    %c = arith.andi %e, %d : i1
    scf.condition(%c) %i, %probes : index, i64
  } do {
  ^bb0(%i: index, %probes: i64):
    %i1 = arith.addi %i, %c1 : index
    %wrap = arith.cmpi eq, %i1, %cap : index
    %z = arith.constant 0 : index
    %nx = arith.select %wrap, %z, %i1 : index
    %p1 = arith.addi %probes, %one : i64
    scf.yield %nx, %p1 : index, i64
  }
  %k = memref.load %keys[%r#0] : memref<?xi64>
  %empty = arith.cmpi eq, %k, %c0 : i64
  scf.if %empty {
    memref.store %key, %keys[%r#0] : memref<?xi64>
    memref.store %val, %vals[%r#0] : memref<?xi64>
  } else {
    %old = memref.load %vals[%r#0] : memref<?xi64>
    %new = arith.addi %old, %val : i64
    memref.store %new, %vals[%r#0] : memref<?xi64>
  }
  return %r#1 : i64
}
"""
"""A probe of a hash table that goes on until it finds the key or nothing."""

DECODER = """
func.func @f(%s: memref<?xi8>, %n: index, %out: memref<?xi32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x80 = arith.constant 128 : i32
  %xe0 = arith.constant 224 : i32
  %x1f = arith.constant 31 : i32
  %xf = arith.constant 15 : i32
  %x3f = arith.constant 63 : i32
  %s6 = arith.constant 6 : i32
  %s12 = arith.constant 12 : i32
  %r:2 = scf.while (%i = %c0, %k = %c0) : (index, index) -> (index, index) {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i, %k : index, index
  } do {
  ^bb0(%i: index, %k: index):
    %b8 = memref.load %s[%i] : memref<?xi8>
    %b = arith.extui %b8 : i8 to i32
    %ascii = arith.cmpi ult, %b, %x80 : i32
    %y:2 = scf.if %ascii -> (i32, index) {
      scf.yield %b, %c1 : i32, index
    } else {
      %two = arith.cmpi ult, %b, %xe0 : i32
      %j1 = arith.addi %i, %c1 : index
      %d8 = memref.load %s[%j1] : memref<?xi8>
      %d = arith.extui %d8 : i8 to i32
      %dl = arith.andi %d, %x3f : i32
      %z:2 = scf.if %two -> (i32, index) {
        %h = arith.andi %b, %x1f : i32
        %hs = arith.shli %h, %s6 : i32
        %cp = arith.ori %hs, %dl : i32
        scf.yield %cp, %c2 : i32, index
      } else {
        %j2 = arith.addi %i, %c2 : index
        %e8 = memref.load %s[%j2] : memref<?xi8>
        %e = arith.extui %e8 : i8 to i32
        %el = arith.andi %e, %x3f : i32
        %h = arith.andi %b, %xf : i32
        %hs = arith.shli %h, %s12 : i32
        %ds = arith.shli %dl, %s6 : i32
        %cp0 = arith.ori %hs, %ds : i32
        %cp = arith.ori %cp0, %el : i32
        scf.yield %cp, %c3 : i32, index
      }
      scf.yield %z#0, %z#1 : i32, index
    }
    memref.store %y#0, %out[%k] : memref<?xi32>
    %ni = arith.addi %i, %y#1 : index
    %nk = arith.addi %k, %c1 : index
    scf.yield %ni, %nk : index, index
  }
  return %r#1 : index
}
"""
"""UTF-8 to code points: how far a turn goes on, is in what it reads."""

PEELED = """
func.func @f(%A: memref<?xi32>, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %v0 = memref.load %A[%c0] : memref<?xi32>
  %c = arith.cmpi ne, %v0, %x : i32
  %o = scf.if %c -> i32 {
    memref.store %z, %A[%c0] : memref<?xi32>
    %r:2 = scf.while (%i = %c1, %s = %v0) : (index, i32) -> (index, i32) {
      %v = memref.load %A[%i] : memref<?xi32>
      %d = arith.cmpi ne, %v, %x : i32
      scf.condition(%d) %i, %s : index, i32
    } do {
    ^bb0(%i: index, %s: i32):
      %v = memref.load %A[%i] : memref<?xi32>
      %t = arith.addi %s, %v : i32
      memref.store %s, %A[%i] : memref<?xi32>
      %i1 = arith.addi %i, %c1 : index
      scf.yield %i1, %t : index, i32
    }
    scf.yield %r#1 : i32
  } else {
    scf.yield %z : i32
  }
  return %o : i32
}
"""
"""The first turn of `WHOLE` before the loop."""

WHOLE = """
func.func @f(%A: memref<?xi32>, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %r:2 = scf.while (%i = %c0, %s = %z) : (index, i32) -> (index, i32) {
    %v = memref.load %A[%i] : memref<?xi32>
    %c = arith.cmpi ne, %v, %x : i32
    scf.condition(%c) %i, %s : index, i32
  } do {
  ^bb0(%i: index, %s: i32):
    %v = memref.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %v : i32
    memref.store %s, %A[%i] : memref<?xi32>
    %i1 = arith.addi %i, %c1 : index
    scf.yield %i1, %t : index, i32
  }
  return %r#1 : i32
}
"""
"""A search that sums what it passes and leaves the sums behind."""


def row(factor: int, left: str = "%i", last: int | None = None) -> str:
    """A product of sums over a row whose bounds are in memory, `factor` elements a turn and then one; the second loop
    begins at `left`, the first ends so many before the end."""
    steps, index, value = "", "%i", "%s"
    for k in range(factor):
        steps += f"""    %v{k} = memref.load %A[{index}] : memref<?xi32>
    %w{k} = arith.addi {value}, %v{k} : i32
    %i{k} = arith.addi {index}, %c1 : index
"""
        index, value = f"%i{k}", f"%w{k}"
    less = factor - 1 if last is None else last
    return f"""
func.func @f(%A: memref<?xi32>, %P: memref<2xindex>) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %less = arith.constant {less} : index
  %z = arith.constant 0 : i32
  %b = memref.load %P[%c0] : memref<2xindex>
  %e = memref.load %P[%c1] : memref<2xindex>
  %m = arith.subi %e, %less : index
  %r:2 = scf.while (%i = %b, %s = %z) : (index, i32) -> (index, i32) {{
    %c = arith.cmpi slt, %i, %m : index
    scf.condition(%c) %i, %s : index, i32
  }} do {{
  ^bb0(%i: index, %s: i32):
{steps}    scf.yield {index}, {value} : index, i32
  }}
  %q:2 = scf.while (%i = {"%r#0" if left == "%i" else left}, %s = %r#1) : (index, i32) -> (index, i32) {{
    %c = arith.cmpi slt, %i, %e : index
    scf.condition(%c) %i, %s : index, i32
  }} do {{
  ^bb0(%i: index, %s: i32):
    %v = memref.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %v : i32
    %i1 = arith.addi %i, %c1 : index
    scf.yield %i1, %t : index, i32
  }}
  return %q#1 : i32
}}
"""


ROW = """
func.func @f(%A: memref<?xi32>, %P: memref<2xindex>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %b = memref.load %P[%c0] : memref<2xindex>
  %e = memref.load %P[%c1] : memref<2xindex>
  %r = scf.for %i = %b to %e step %c1 iter_args(%s = %z) -> i32 {
    %v = memref.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %v : i32
    scf.yield %t : i32
  }
  return %r : i32
}
"""
