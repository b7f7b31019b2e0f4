// mlir-opt --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))': equivalent
// RUN: %exits 0 hecv check %S/call.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 3 hecv check %S/call.src.mlir %s --engine theorems --no-dynamic-rules | FileCheck %s --check-prefix=WITHOUT
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @f
// WITHOUT: {{^}}unknown: @f

#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func private @g(memref<?xf32>, index)
  func.func @f(%arg0: memref<?xf32>) {
    %c10 = arith.constant 10 : index
    affine.for %arg1 = 0 to 10 step 2 {
      func.call @g(%arg0, %arg1) : (memref<?xf32>, index) -> ()
      %0 = affine.apply #map(%arg1)
      func.call @g(%arg0, %0) : (memref<?xf32>, index) -> ()
    }
    call @g(%arg0, %c10) : (memref<?xf32>, index) -> ()
    return
  }
}

