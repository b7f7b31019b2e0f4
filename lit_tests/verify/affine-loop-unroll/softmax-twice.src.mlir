// Exponentials are stored over what they are computed from, and summed.
func.func @softmax(%S: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %S, %c0 : memref<?x?xf32>
  %m = memref.dim %S, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %n {
    %most = affine.for %j = 0 to %m iter_args(%a = %lowest) -> f32 {
      %s = affine.load %S[%i, %j] : memref<?x?xf32>
      %b = arith.maximumf %a, %s : f32
      affine.yield %b : f32
    }
    %sum = affine.for %j = 0 to %m iter_args(%a = %zero) -> f32 {
      %s = affine.load %S[%i, %j] : memref<?x?xf32>
      %d = arith.subf %s, %most : f32
      %x = math.exp %d : f32
      affine.store %x, %S[%i, %j] : memref<?x?xf32>
      %b = arith.addf %a, %x : f32
      affine.yield %b : f32
    }
    affine.for %j = 0 to %m {
      %s = affine.load %S[%i, %j] : memref<?x?xf32>
      %q = arith.divf %s, %sum : f32
      affine.store %q, %S[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
