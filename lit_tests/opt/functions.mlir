// Only functions that a pass changed are checked: text that is the same is the same program, if what it calls is too.
// Private functions may go.
// RUN: %exits 0 hecv opt %s --pass-pipeline='symbol-dce,affine-loop-tile{tile-size=4},inline,symbol-dce,cse' | FileCheck %s

// A function that calls what a pass changed is checked; the other one is not.
// RUN: %exits 1 hecv opt %s --pass-pipeline='affine-loop-unroll{unroll-factor=2}' | FileCheck %s --check-prefix=CALLS
// RUN: %exits 0 hecv opt %s --pass-pipeline='affine-loop-unroll{unroll-factor=2}' --func same | FileCheck %s --check-prefix=FUNC

// A signature has to stay; the passes after that are checked against their own input.
// RUN: %exits 2 hecv opt %s --pass-pipeline='buffer-results-to-out-params{modify-public-functions=1},cse' 2>&1 | FileCheck %s --check-prefix=SIGNATURE

// CHECK:      1  symbol-dce                     equivalent {{.*}} no public function changed
// CHECK-NEXT: 2  affine-loop-tile{tile-size=4}  equivalent {{.*}} @calls; proved by form
// CHECK-NEXT: 3  inline                         equivalent {{.*}} @calls; proved by identity
// CHECK-NEXT: 4  symbol-dce                     unchanged
// CHECK-NEXT: 5  cse                            unchanged
// CHECK:      {{^}}equivalent: 5 passes (

// CALLS: 1  affine-loop-unroll{unroll-factor=2}  not equivalent {{.*}} @calls;
// CALLS: {{^}}not equivalent: pass 1 of 1, affine-loop-unroll{unroll-factor=2}, changes what @calls does (

// FUNC: 1  affine-loop-unroll{unroll-factor=2}  equivalent {{.*}} no public function changed

// SIGNATURE-DAG: error[signature-mismatch]: @same has type
// SIGNATURE-DAG: {{^}}  1  buffer-results-to-out-params{modify-public-functions=1}  error
// SIGNATURE-DAG: {{^}}  2  cse                                                      unchanged
// SIGNATURE-DAG: {{^}}error: pass 1 of 2, buffer-results-to-out-params{modify-public-functions=1}, cannot be checked (

func.func private @fill(%A: memref<?xi32>, %lb: index, %x: i32) {
  affine.for %i = %lb to 10 {
    affine.store %x, %A[%i] : memref<?xi32>
  }
  return
}

func.func private @dead() {
  return
}

func.func @calls(%A: memref<?xi32>, %lb: index, %x: i32) {
  call @fill(%A, %lb, %x) : (memref<?xi32>, index, i32) -> ()
  return
}

func.func @same(%A: memref<4xi32>) -> memref<4xi32> {
  return %A : memref<4xi32>
}
