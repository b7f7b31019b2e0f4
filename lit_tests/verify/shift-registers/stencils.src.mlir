// Stencils that read all of their neighbours.
func.func @rotating(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  affine.for %i = 1 to affine_map<(n) -> (n - 1)>(%n) {
    %l = affine.load %a[%i - 1] : memref<?xf32>
    %m = affine.load %a[%i] : memref<?xf32>
    %r = affine.load %a[%i + 1] : memref<?xf32>
    %s = arith.addf %l, %m : f32
    %t = arith.addf %s, %r : f32
    affine.store %t, %b[%i] : memref<?xf32>
  }
  return
}
func.func @in_place(%a: memref<?xf32>, %n: index) {
  affine.for %i = 1 to affine_map<(n) -> (n - 1)>(%n) {
    %l = affine.load %a[%i - 1] : memref<?xf32>
    %m = affine.load %a[%i] : memref<?xf32>
    %r = affine.load %a[%i + 1] : memref<?xf32>
    %s = arith.addf %l, %m : f32
    %t = arith.addf %s, %r : f32
    affine.store %t, %a[%i] : memref<?xf32>
  }
  return
}
func.func @lines(%a: memref<?x16xf32>, %b: memref<?x16xf32>, %n: index) {
  affine.for %i = 1 to affine_map<(n) -> (n - 1)>(%n) {
    affine.for %j = 1 to 15 {
      %u = affine.load %a[%i - 1, %j] : memref<?x16xf32>
      %l = affine.load %a[%i, %j - 1] : memref<?x16xf32>
      %r = affine.load %a[%i, %j + 1] : memref<?x16xf32>
      %d = affine.load %a[%i + 1, %j] : memref<?x16xf32>
      %s = arith.addf %u, %l : f32
      %t = arith.addf %s, %r : f32
      %v = arith.addf %t, %d : f32
      affine.store %v, %b[%i, %j] : memref<?x16xf32>
    }
  }
  return
}
func.func @ring_of_lines(%a: memref<?x16xf32>, %b: memref<?x16xf32>, %n: index) {
  affine.for %i = 1 to affine_map<(n) -> (n - 1)>(%n) {
    affine.for %j = 1 to 15 {
      %u = affine.load %a[%i - 1, %j] : memref<?x16xf32>
      %l = affine.load %a[%i, %j - 1] : memref<?x16xf32>
      %r = affine.load %a[%i, %j + 1] : memref<?x16xf32>
      %d = affine.load %a[%i + 1, %j] : memref<?x16xf32>
      %s = arith.addf %u, %l : f32
      %t = arith.addf %s, %r : f32
      %v = arith.addf %t, %d : f32
      affine.store %v, %b[%i, %j] : memref<?x16xf32>
    }
  }
  return
}
func.func @registers(%a: memref<64xf32>, %b: memref<60xf32>) {
  affine.for %i = 0 to 60 {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 5 iter_args(%acc = %zero) -> (f32) {
      %v = affine.load %a[%i + %k] : memref<64xf32>
      %t = arith.addf %acc, %v : f32
      affine.yield %t : f32
    }
    affine.store %s, %b[%i] : memref<60xf32>
  }
  return
}
