func.func @rows(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %i: index, %j: index) {
  %x = arith.constant 2.5 : f32
  %a = vector.transfer_read %A[%i, %j], %x : memref<?x?xf32>, vector<4x8xf32>
  vector.transfer_write %a, %B[%i, %j] : vector<4x8xf32>, memref<?x?xf32>
  return
}
func.func @columns(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %i: index, %j: index) {
  %x = arith.constant 2.5 : f32
  %a = vector.transfer_read %A[%i, %j], %x {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<4x8xf32>
  vector.transfer_write %a, %B[%i, %j] : vector<4x8xf32>, memref<?x?xf32>
  return
}
