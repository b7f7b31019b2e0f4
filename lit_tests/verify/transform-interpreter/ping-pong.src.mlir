// Two and three buffers that change places in each iteration.

func.func @twice(%A: memref<16xf32>, %B: memref<16xf32>, %N: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %N, %c0 : memref<?xf32>
  %r:2 = affine.for %t = 0 to %n iter_args(%a = %A, %b = %B) -> (memref<16xf32>, memref<16xf32>) {
    affine.for %i = 1 to 15 {
      %p = affine.load %a[%i - 1] : memref<16xf32>
      %q = affine.load %a[%i + 1] : memref<16xf32>
      %s = arith.addf %p, %q : f32
      affine.store %s, %b[%i] : memref<16xf32>
    }
    affine.yield %b, %a : memref<16xf32>, memref<16xf32>
  }
  affine.for %i = 0 to 16 {
    %p = affine.load %r#0[%i] : memref<16xf32>
    %q = arith.negf %p : f32
    affine.store %q, %r#1[%i] : memref<16xf32>
  }
  return
}

func.func @cycle(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>) {
  %r:3 = affine.for %t = 2 to 24 step 3 iter_args(%a = %A, %b = %B, %c = %C) -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
    affine.for %i = 0 to 8 {
      %p = affine.load %a[%i] : memref<?xf32>
      %q = affine.load %b[%i] : memref<?xf32>
      %s = arith.addf %p, %q : f32
      affine.store %s, %c[%i] : memref<?xf32>
    }
    affine.yield %b, %c, %a : memref<?xf32>, memref<?xf32>, memref<?xf32>
  }
  %v = affine.load %r#0[0] : memref<?xf32>
  affine.store %v, %r#2[1] : memref<?xf32>
  return
}
