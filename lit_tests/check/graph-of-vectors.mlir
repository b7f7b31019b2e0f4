// Vectors are read element by element.
// RUN: hecv graph %s | FileCheck %s
// CHECK:      func @copy(%A: memref<16xf32>, %B: memref<16xf32>) {
// CHECK-NEXT:   alloc [[V:%[a-z0-9]+]][4] : f32
// CHECK-NEXT:   for %i0 = 0 to 4 {
// CHECK-NEXT:     r0 = load %A[%i0]
// CHECK-NEXT:     store r0, [[V]][%i0]

func.func @copy(%A: memref<16xf32>, %B: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %A[%c0] : memref<16xf32>, vector<4xf32>
  vector.store %v, %B[%c0] : memref<16xf32>, vector<4xf32>
  return
}
