// A histogram that is summed up and looked up, and a table that is set and looked up.

func.func @equalise(%n: index, %img: memref<?xi8>, %out: memref<?xi32>) {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %h = memref.alloc() : memref<256xi32>
  affine.for %b = 0 to 256 { affine.store %z, %h[%b] : memref<256xi32> }
  affine.for %i = 0 to %n {
    %p = affine.load %img[%i] : memref<?xi8>
    %q = arith.index_castui %p : i8 to index
    %c = memref.load %h[%q] : memref<256xi32>
    %d = arith.addi %c, %one : i32
    memref.store %d, %h[%q] : memref<256xi32>
  }
  affine.for %b = 1 to 256 {
    %c = affine.load %h[%b - 1] : memref<256xi32>
    %d = affine.load %h[%b] : memref<256xi32>
    %e = arith.addi %c, %d : i32
    affine.store %e, %h[%b] : memref<256xi32>
  }
  affine.for %i = 0 to %n {
    %p = affine.load %img[%i] : memref<?xi8>
    %q = arith.index_castui %p : i8 to index
    %c = memref.load %h[%q] : memref<256xi32>
    affine.store %c, %out[%i] : memref<?xi32>
  }
  memref.dealloc %h : memref<256xi32>
  return
}

func.func @table(%n: index, %m: index, %x: memref<?xf32>, %b: memref<?xindex>, %y: memref<?xf32>) {
  %A = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xf32>
    %1 = math.exp %0 : f32
    affine.store %1, %A[%i] : memref<?xf32>
  }
  affine.for %j = 0 to %m {
    %s = affine.load %b[%j] : memref<?xindex>
    %v = memref.load %A[%s] : memref<?xf32>
    affine.store %v, %y[%j] : memref<?xf32>
  }
  memref.dealloc %A : memref<?xf32>
  return
}
