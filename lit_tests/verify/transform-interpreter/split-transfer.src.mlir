// Transfers that may run beyond the end.

func.func @split(%M: memref<?x?xf32>, %i: index, %j: index, %p: f32, %v: vector<4x5xf32>) -> vector<5x4xf32> {
 %r = vector.transfer_read %M[%i, %j], %p {permutation_map = affine_map<(a,b)->(b,a)>} : memref<?x?xf32>, vector<5x4xf32>
 vector.transfer_write %v, %M[%i, %j] : vector<4x5xf32>, memref<?x?xf32>
 return %r : vector<5x4xf32>
}
