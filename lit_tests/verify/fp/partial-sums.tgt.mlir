// partial-sums.src.mlir, changed by hand: k tiled, the products of a tile summed up first, from the neutral -0
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/partial-sums.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/partial-sums.src.mlir %S/partial-sums.src.mlir | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @gemm
func.func @gemm(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index, %m: index, %p: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %t = 0 to %p step 16 {
        %zero = arith.constant -0.0 : f64
        %part = affine.for %k = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 16, s0)>(%t)[%p]
            iter_args(%q = %zero) -> f64 {
          %a = affine.load %A[%i, %k] : memref<?x?xf64>
          %b = affine.load %B[%k, %j] : memref<?x?xf64>
          %x = arith.mulf %a, %b : f64
          %r = arith.addf %q, %x fastmath<reassoc> : f64
          affine.yield %r : f64
        }
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %s = arith.addf %c, %part fastmath<reassoc> : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
