func.func @mm(%A: tensor<4x8xf32>, %B: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = linalg.matmul ins(%A, %B : tensor<4x8xf32>, tensor<8x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %g = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%r: tensor<4x6xf32>) outs(%e: tensor<4x6xf32>) {
   ^bb0(%x: f32, %o: f32):
     %m = arith.maximumf %x, %z : f32
     linalg.yield %m : f32 } -> tensor<4x6xf32>
  return %g : tensor<4x6xf32>
}
