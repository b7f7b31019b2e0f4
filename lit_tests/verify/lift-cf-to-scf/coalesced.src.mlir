// The innermost loop begins at a number that depends on the outermost variable.
func.func @below(%m: index, %n: index, %x: f32, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d) -> (d + 1)>(%i) to %m {
        %b = affine.load %B[%i, %j] : memref<?x?xf32>
        %a = affine.load %A[%k, %i] : memref<?x?xf32>
        %s = arith.addf %b, %a : f32
        affine.store %s, %B[%i, %j] : memref<?x?xf32>
      }
      %b = affine.load %B[%i, %j] : memref<?x?xf32>
      %y = arith.mulf %x, %b : f32
      affine.store %y, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
