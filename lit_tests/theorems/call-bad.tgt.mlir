// mlir-opt --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))', then changed: not equivalent
// `(d0 + 1)` became `(d0 + 2)`: the second copy is given the wrong index, which what has no body may show
// RUN: %exits 1 hecv check %S/call.src.mlir %s --engine theorems | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @f
// CHECK: call 2, of @g: operand 0 is 2, expected 1
// SELF: {{^}}equivalent: @f

#map = affine_map<(d0) -> (d0 + 2)>
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

