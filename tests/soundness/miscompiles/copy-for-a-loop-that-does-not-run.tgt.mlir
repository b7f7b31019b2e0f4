// What a loop reads is copied before the loop, which may not run: there is no such element then.
// expect: undefined-behavior
func.func @spread(%m: memref<?xf32>, %v: memref<?xf32>, %n: index) {
  %t = memref.alloc() : memref<1xf32>
  %b = affine.load %m[5] : memref<?xf32>
  affine.store %b, %t[0] : memref<1xf32>
  affine.for %i = 0 to %n {
    %a = affine.load %t[0] : memref<1xf32>
    affine.store %a, %v[%i] : memref<?xf32>
  }
  memref.dealloc %t : memref<1xf32>
  return
}
