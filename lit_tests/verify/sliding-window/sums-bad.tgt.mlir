// Written by hand: running sums that are off by one.
// Verdict: not equivalent
// Changed in @window: the sum lets go of an element too late; it was
//   %out = affine.load %a[%i - 1] : memref<64xi32>
// Changed in @any_size: the first sum is over one element too many; it was
//   affine.for %k = 0 to affine_map<()[w] -> (w - 1)>()[%w] {
// Changed in @energy: what is let go is not what was taken in; it was
//   %minus = arith.muli %out, %out : i32
// Changed in @average: what is carried on still has the oldest element; it was
//   affine.yield %down, %out : i32, i32
// Changed in @checksum: the element that is taken in was in already; it was
//   %in = affine.load %a[%i + 7] : memref<64xi32>
// Changed in @box: the row that is let go is not the oldest one; it was
//   %v = affine.load %a[%i, %j] : memref<18x20xi32>
// RUN: %exits 1 hecv check %S/sums.src.mlir %s | FileCheck %s
// CHECK: {{^}}not equivalent: @window
// CHECK: {{^}}not equivalent: @any_size
// CHECK: {{^}}not equivalent: @energy
// CHECK: {{^}}not equivalent: @average
// CHECK: {{^}}not equivalent: @checksum
// CHECK: {{^}}not equivalent: @box

func.func @window(%a: memref<64xi32>, %b: memref<57xi32>) {
  %zero = arith.constant 0 : i32
  %first = affine.for %k = 0 to 8 iter_args(%acc = %zero) -> (i32) {
    %v = affine.load %a[%k] : memref<64xi32>
    %n = arith.addi %acc, %v : i32
    affine.yield %n : i32
  }
  affine.store %first, %b[0] : memref<57xi32>
  %last = affine.for %i = 1 to 57 iter_args(%s = %first) -> (i32) {
    %in = affine.load %a[%i + 7] : memref<64xi32>
    %out = affine.load %a[%i] : memref<64xi32>
    %up = arith.addi %s, %in : i32
    %down = arith.subi %up, %out : i32
    affine.store %down, %b[%i] : memref<57xi32>
    affine.yield %down : i32
  }
  return
}
func.func @any_size(%n: index, %w: index, %a: memref<?xi32>, %b: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %cell = memref.alloca() : memref<i32>
  affine.if affine_set<(n, w) : (n - 1 >= 0, w - 1 >= 0)>(%n, %w) {
    affine.store %zero, %cell[] : memref<i32>
    affine.for %k = 0 to affine_map<()[w] -> (w)>()[%w] {
      %o = affine.load %cell[] : memref<i32>
      %v = affine.load %a[%k] : memref<?xi32>
      %s = arith.addi %o, %v : i32
      affine.store %s, %cell[] : memref<i32>
    }
    affine.for %i = 0 to %n {
      %o = affine.load %cell[] : memref<i32>
      %in = affine.load %a[%i + symbol(%w) - 1] : memref<?xi32>
      %s = arith.addi %o, %in : i32
      affine.store %s, %b[%i] : memref<?xi32>
      %out = affine.load %a[%i] : memref<?xi32>
      %d = arith.subi %s, %out : i32
      affine.store %d, %cell[] : memref<i32>
    }
  }
  return
}
func.func @energy(%a: memref<64xi32>, %b: memref<60xi32>) {
  %zero = arith.constant 0 : i32
  %first = affine.for %k = 0 to 4 iter_args(%acc = %zero) -> (i32) {
    %v = affine.load %a[%k] : memref<64xi32>
    %q = arith.muli %v, %v : i32
    %n = arith.addi %acc, %q : i32
    affine.yield %n : i32
  }
  %last = affine.for %i = 0 to 60 iter_args(%s = %first) -> (i32) {
    %in = affine.load %a[%i + 4] : memref<64xi32>
    %plus = arith.muli %in, %in : i32
    %up = arith.addi %s, %plus : i32
    affine.store %up, %b[%i] : memref<60xi32>
    %out = affine.load %a[%i] : memref<64xi32>
    %minus = arith.muli %out, %in : i32
    %down = arith.subi %up, %minus : i32
    affine.yield %down : i32
  }
  return
}
func.func @average(%a: memref<64xi32>, %b: memref<61xi32>) {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %0 = affine.load %a[0] : memref<64xi32>
  %1 = affine.load %a[1] : memref<64xi32>
  %2 = affine.load %a[2] : memref<64xi32>
  %3 = arith.addi %0, %1 : i32
  %4 = arith.addi %3, %2 : i32
  %last:2 = affine.for %i = 0 to 61 iter_args(%s = %4, %old = %zero) -> (i32, i32) {
    %in = affine.load %a[%i + 3] : memref<64xi32>
    %up = arith.addi %s, %in : i32
    %down = arith.subi %up, %old : i32
    %mean = arith.divsi %down, %four : i32
    affine.store %mean, %b[%i] : memref<61xi32>
    %out = affine.load %a[%i] : memref<64xi32>
    affine.yield %up, %out : i32, i32
  }
  return
}
func.func @checksum(%a: memref<64xi32>, %b: memref<57xi32>) {
  %zero = arith.constant 0 : i32
  %first = affine.for %k = 0 to 8 iter_args(%acc = %zero) -> (i32) {
    %v = affine.load %a[%k] : memref<64xi32>
    %n = arith.xori %acc, %v : i32
    affine.yield %n : i32
  }
  affine.store %first, %b[0] : memref<57xi32>
  %last = affine.for %i = 1 to 57 iter_args(%s = %first) -> (i32) {
    %in = affine.load %a[%i + 6] : memref<64xi32>
    %out = affine.load %a[%i - 1] : memref<64xi32>
    %up = arith.xori %s, %in : i32
    %down = arith.xori %up, %out : i32
    affine.store %down, %b[%i] : memref<57xi32>
    affine.yield %down : i32
  }
  return
}
func.func @box(%a: memref<18x20xi32>, %b: memref<16x18xi32>) {
  %zero = arith.constant 0 : i32
  %column = memref.alloc() : memref<20xi32>
  affine.for %j = 0 to 20 {
    affine.store %zero, %column[%j] : memref<20xi32>
    affine.for %r = 0 to 2 {
      %o = affine.load %column[%j] : memref<20xi32>
      %v = affine.load %a[%r, %j] : memref<18x20xi32>
      %s = arith.addi %o, %v : i32
      affine.store %s, %column[%j] : memref<20xi32>
    }
  }
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 20 {
      %o = affine.load %column[%j] : memref<20xi32>
      %v = affine.load %a[%i + 2, %j] : memref<18x20xi32>
      %s = arith.addi %o, %v : i32
      affine.store %s, %column[%j] : memref<20xi32>
    }
    %0 = affine.load %column[0] : memref<20xi32>
    %1 = affine.load %column[1] : memref<20xi32>
    %2 = arith.addi %0, %1 : i32
    %last = affine.for %j = 0 to 18 iter_args(%s = %2) -> (i32) {
      %in = affine.load %column[%j + 2] : memref<20xi32>
      %up = arith.addi %s, %in : i32
      affine.store %up, %b[%i, %j] : memref<16x18xi32>
      %out = affine.load %column[%j] : memref<20xi32>
      %down = arith.subi %up, %out : i32
      affine.yield %down : i32
    }
    affine.for %j = 0 to 20 {
      %o = affine.load %column[%j] : memref<20xi32>
      %v = affine.load %a[%i + 1, %j] : memref<18x20xi32>
      %s = arith.subi %o, %v : i32
      affine.store %s, %column[%j] : memref<20xi32>
    }
  }
  return
}
