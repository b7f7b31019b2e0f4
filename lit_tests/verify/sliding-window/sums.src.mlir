// Each window is summed up anew.
func.func @window(%a: memref<64xi32>, %b: memref<57xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 57 {
    %s = affine.for %k = 0 to 8 iter_args(%acc = %zero) -> (i32) {
      %v = affine.load %a[%i + %k] : memref<64xi32>
      %n = arith.addi %acc, %v : i32
      affine.yield %n : i32
    }
    affine.store %s, %b[%i] : memref<57xi32>
  }
  return
}
func.func @any_size(%n: index, %w: index, %a: memref<?xi32>, %b: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  affine.if affine_set<(n, w) : (n - 1 >= 0, w - 1 >= 0)>(%n, %w) {
    affine.for %i = 0 to %n {
      affine.store %zero, %b[%i] : memref<?xi32>
      affine.for %k = 0 to %w {
        %o = affine.load %b[%i] : memref<?xi32>
        %v = affine.load %a[%i + %k] : memref<?xi32>
        %s = arith.addi %o, %v : i32
        affine.store %s, %b[%i] : memref<?xi32>
      }
    }
  }
  return
}
func.func @energy(%a: memref<64xi32>, %b: memref<60xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 60 {
    %s = affine.for %k = 0 to 5 iter_args(%acc = %zero) -> (i32) {
      %v = affine.load %a[%i + %k] : memref<64xi32>
      %q = arith.muli %v, %v : i32
      %n = arith.addi %acc, %q : i32
      affine.yield %n : i32
    }
    affine.store %s, %b[%i] : memref<60xi32>
  }
  return
}
func.func @average(%a: memref<64xi32>, %b: memref<61xi32>) {
  %four = arith.constant 4 : i32
  affine.for %i = 0 to 61 {
    %0 = affine.load %a[%i] : memref<64xi32>
    %1 = affine.load %a[%i + 1] : memref<64xi32>
    %2 = affine.load %a[%i + 2] : memref<64xi32>
    %3 = affine.load %a[%i + 3] : memref<64xi32>
    %4 = arith.addi %0, %1 : i32
    %5 = arith.addi %2, %3 : i32
    %6 = arith.addi %4, %5 : i32
    %7 = arith.divsi %6, %four : i32
    affine.store %7, %b[%i] : memref<61xi32>
  }
  return
}
func.func @checksum(%a: memref<64xi32>, %b: memref<57xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 57 {
    %s = affine.for %k = 0 to 8 iter_args(%acc = %zero) -> (i32) {
      %v = affine.load %a[%i + %k] : memref<64xi32>
      %n = arith.xori %acc, %v : i32
      affine.yield %n : i32
    }
    affine.store %s, %b[%i] : memref<57xi32>
  }
  return
}
func.func @box(%a: memref<18x20xi32>, %b: memref<16x18xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 18 {
      %s = affine.for %r = 0 to 3 iter_args(%rows = %zero) -> (i32) {
        %t = affine.for %c = 0 to 3 iter_args(%acc = %rows) -> (i32) {
          %v = affine.load %a[%i + %r, %j + %c] : memref<18x20xi32>
          %n = arith.addi %acc, %v : i32
          affine.yield %n : i32
        }
        affine.yield %t : i32
      }
      affine.store %s, %b[%i, %j] : memref<16x18xi32>
    }
  }
  return
}
