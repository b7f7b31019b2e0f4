func.func @sm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %lo = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%lo : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
   ^bb0(%a: f32, %o: f32):
     %t = arith.maximumf %a, %o : f32
     linalg.yield %t : f32 } -> tensor<4xf32>
  %d = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
   ^bb0(%a: f32, %b: f32, %o: f32):
     %t = arith.subf %a, %b : f32
     %u = math.exp %t : f32
     linalg.yield %u : f32 } -> tensor<4x8xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%d : tensor<4x8xf32>) outs(%f2 : tensor<4xf32>) {
   ^bb0(%a: f32, %o: f32):
     %t = arith.addf %a, %o : f32
     linalg.yield %t : f32 } -> tensor<4xf32>
  %q = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%d, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
   ^bb0(%a: f32, %b: f32, %o: f32):
     %t = arith.divf %a, %b : f32
     linalg.yield %t : f32 } -> tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}
