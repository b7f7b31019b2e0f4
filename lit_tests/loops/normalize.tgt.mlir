// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4},affine-loop-normalize))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --assume nonneg --func constant --func symbolic --func imperfect --func substitution --func guarded --func local | FileCheck %s
// CHECK: {{^}}equivalent: @constant
// CHECK: {{^}}equivalent: @symbolic
// CHECK: {{^}}equivalent: @imperfect
// CHECK: {{^}}equivalent: @substitution
// CHECK: {{^}}equivalent: @guarded
// CHECK: {{^}}equivalent: @local

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  affine.for %arg3 = 0 to 4 {
    %0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg3)
    affine.for %arg4 = 0 to 3 {
      %1 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg4)
      affine.for %arg5 = 0 to 2 {
        %2 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg5)
        affine.for %arg6 = 0 to min affine_map<(d0) -> (4, -d0 + 13)>(%0) {
          %3 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%0, %arg6)
          affine.for %arg7 = 0 to min affine_map<(d0) -> (4, -d0 + 11)>(%1) {
            %4 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%1, %arg7)
            affine.for %arg8 = 0 to min affine_map<(d0) -> (4, -d0 + 7)>(%2) {
              %5 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%2, %arg8)
              %6 = affine.load %arg0[%3, %5] : memref<13x7xf32>
              %7 = affine.load %arg1[%5, %4] : memref<7x11xf32>
              %8 = affine.load %arg2[%3, %4] : memref<13x11xf32>
              %9 = arith.mulf %6, %7 : f32
              %10 = arith.addf %8, %9 : f32
              affine.store %10, %arg2[%3, %4] : memref<13x11xf32>
            }
          }
        }
      }
    }
  }
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  affine.for %arg6 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg3] {
    %0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg6)
    affine.for %arg7 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg4] {
      %1 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg7)
      affine.for %arg8 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg5] {
        %2 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg8)
        affine.for %arg9 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%0)[%arg3] {
          %3 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%0, %arg9)
          affine.for %arg10 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%1)[%arg4] {
            %4 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%1, %arg10)
            affine.for %arg11 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%2)[%arg5] {
              %5 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%2, %arg11)
              %6 = affine.load %arg0[%3, %5] : memref<?x?xf32>
              %7 = affine.load %arg1[%5, %4] : memref<?x?xf32>
              %8 = affine.load %arg2[%3, %4] : memref<?x?xf32>
              %9 = arith.mulf %6, %7 : f32
              %10 = arith.addf %8, %9 : f32
              affine.store %10, %arg2[%3, %4] : memref<?x?xf32>
            }
          }
        }
      }
    }
  }
  return
}

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %cst = arith.constant 0.000000e+00 : f32
  affine.for %arg5 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg3] {
    %0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg5)
    affine.for %arg6 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%0)[%arg3] {
      %1 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%0, %arg6)
      affine.store %cst, %arg2[%1] : memref<?xf32>
      affine.for %arg7 = 0 to %arg4 {
        %4 = affine.load %arg0[%1, %arg7] : memref<?x?xf32>
        %5 = affine.load %arg1[%arg7] : memref<?xf32>
        %6 = affine.load %arg2[%1] : memref<?xf32>
        %7 = arith.mulf %4, %5 : f32
        %8 = arith.addf %6, %7 : f32
        affine.store %8, %arg2[%1] : memref<?xf32>
      }
      %2 = affine.load %arg2[%1] : memref<?xf32>
      %3 = arith.addf %2, %2 : f32
      affine.store %3, %arg2[%1] : memref<?xf32>
    }
  }
  return
}

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  affine.for %arg4 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg3] {
    %0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg4)
    affine.for %arg5 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%0)[%arg3] {
      %1 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%0, %arg5)
      %2 = affine.load %arg1[%1] : memref<?xf32>
      affine.store %2, %arg2[%1] : memref<?xf32>
      affine.for %arg6 = 0 to affine_map<(d0) -> (d0)>(%1) {
        %6 = affine.load %arg0[%1, %arg6] : memref<?x?xf32>
        %7 = affine.load %arg2[%arg6] : memref<?xf32>
        %8 = affine.load %arg2[%1] : memref<?xf32>
        %9 = arith.mulf %6, %7 : f32
        %10 = arith.subf %8, %9 : f32
        affine.store %10, %arg2[%1] : memref<?xf32>
      }
      %3 = affine.load %arg0[%1, %1] : memref<?x?xf32>
      %4 = affine.load %arg2[%1] : memref<?xf32>
      %5 = arith.divf %4, %3 : f32
      affine.store %5, %arg2[%1] : memref<?xf32>
    }
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg2] {
    %0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg3)
    affine.for %arg4 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg2] {
      %1 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg4)
      affine.for %arg5 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%0)[%arg2] {
        %2 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%0, %arg5)
        affine.for %arg6 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%1)[%arg2] {
          %3 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%1, %arg6)
          %4 = affine.load %arg0[%2, %3] : memref<?x?xf32>
          affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%2, %3) {
            %5 = affine.load %arg1[%2, %3] : memref<?x?xf32>
            %6 = arith.addf %4, %5 : f32
            affine.store %6, %arg1[%2, %3] : memref<?x?xf32>
          } else {
            affine.store %4, %arg1[%2, %3] : memref<?x?xf32>
          }
        }
      }
    }
  }
  return
}

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to affine_map<()[s0] -> (s0 ceildiv 4)>()[%arg2] {
    %0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%arg3)
    affine.for %arg4 = 0 to min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%0)[%arg2] {
      %1 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%0, %arg4)
      %alloc = memref.alloc() : memref<16xf32>
      affine.for %arg5 = 0 to 16 {
        %2 = affine.load %arg0[%1, %arg5] : memref<?x?xf32>
        %3 = arith.mulf %2, %2 : f32
        affine.store %3, %alloc[%arg5] : memref<16xf32>
      }
      affine.for %arg5 = 0 to 16 {
        %2 = affine.load %alloc[-%arg5 + 15] : memref<16xf32>
        %3 = affine.load %arg1[%1] : memref<?xf32>
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg1[%1] : memref<?xf32>
      }
      memref.dealloc %alloc : memref<16xf32>
    }
  }
  return
}
