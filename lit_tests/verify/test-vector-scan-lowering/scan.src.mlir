func.func @inclusive(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 0.0 : f32
  %z = arith.constant dense<1.0> : vector<8xf32>
  %a = vector.transfer_read %A[%c0, %c0], %x {in_bounds = [true, true]} : memref<4x8xf32>, vector<4x8xf32>
  %r, %s = vector.scan <add>, %a, %z {inclusive = true, reduction_dim = 0} : vector<4x8xf32>, vector<8xf32>
  vector.transfer_write %r, %B[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
  return
}
func.func @exclusive(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 0.0 : f32
  %z = arith.constant dense<1.0> : vector<4xf32>
  %a = vector.transfer_read %A[%c0, %c0], %x {in_bounds = [true, true]} : memref<4x8xf32>, vector<4x8xf32>
  %r, %s = vector.scan <add>, %a, %z {inclusive = false, reduction_dim = 1} : vector<4x8xf32>, vector<4xf32>
  vector.transfer_write %r, %B[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
  return
}
