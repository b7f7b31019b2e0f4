// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --assume nonneg --func constant --func symbolic --func imperfect --func substitution --func guarded --func local | FileCheck %s
// CHECK: {{^}}equivalent: @constant
// CHECK: {{^}}equivalent: @symbolic
// CHECK: {{^}}equivalent: @imperfect
// CHECK: {{^}}equivalent: @substitution
// CHECK: {{^}}equivalent: @guarded
// CHECK: {{^}}equivalent: @local

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  affine.for %arg3 = 0 to 13 step 4 {
    affine.for %arg4 = 0 to 11 step 4 {
      affine.for %arg5 = 0 to 7 step 4 {
        affine.for %arg6 = affine_map<(d0) -> (d0)>(%arg3) to min affine_map<(d0) -> (d0 + 4, 13)>(%arg3) {
          affine.for %arg7 = affine_map<(d0) -> (d0)>(%arg4) to min affine_map<(d0) -> (d0 + 4, 11)>(%arg4) {
            affine.for %arg8 = affine_map<(d0) -> (d0)>(%arg5) to min affine_map<(d0) -> (d0 + 4, 7)>(%arg5) {
              %0 = affine.load %arg0[%arg6, %arg8] : memref<13x7xf32>
              %1 = affine.load %arg1[%arg8, %arg7] : memref<7x11xf32>
              %2 = affine.load %arg2[%arg6, %arg7] : memref<13x11xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %arg2[%arg6, %arg7] : memref<13x11xf32>
            }
          }
        }
      }
    }
  }
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  affine.for %arg6 = 0 to %arg3 step 4 {
    affine.for %arg7 = 0 to %arg4 step 4 {
      affine.for %arg8 = 0 to %arg5 step 4 {
        affine.for %arg9 = affine_map<(d0) -> (d0)>(%arg6) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg6)[%arg3] {
          affine.for %arg10 = affine_map<(d0) -> (d0)>(%arg7) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg7)[%arg4] {
            affine.for %arg11 = affine_map<(d0) -> (d0)>(%arg8) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg8)[%arg5] {
              %0 = affine.load %arg0[%arg9, %arg11] : memref<?x?xf32>
              %1 = affine.load %arg1[%arg11, %arg10] : memref<?x?xf32>
              %2 = affine.load %arg2[%arg9, %arg10] : memref<?x?xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %arg2[%arg9, %arg10] : memref<?x?xf32>
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
  affine.for %arg5 = 0 to %arg3 step 4 {
    affine.for %arg6 = affine_map<(d0) -> (d0)>(%arg5) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg5)[%arg3] {
      affine.store %cst, %arg2[%arg6] : memref<?xf32>
      affine.for %arg7 = 0 to %arg4 {
        %2 = affine.load %arg0[%arg6, %arg7] : memref<?x?xf32>
        %3 = affine.load %arg1[%arg7] : memref<?xf32>
        %4 = affine.load %arg2[%arg6] : memref<?xf32>
        %5 = arith.mulf %2, %3 : f32
        %6 = arith.addf %4, %5 : f32
        affine.store %6, %arg2[%arg6] : memref<?xf32>
      }
      %0 = affine.load %arg2[%arg6] : memref<?xf32>
      %1 = arith.addf %0, %0 : f32
      affine.store %1, %arg2[%arg6] : memref<?xf32>
    }
  }
  return
}

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  affine.for %arg4 = 0 to %arg3 step 4 {
    affine.for %arg5 = affine_map<(d0) -> (d0)>(%arg4) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg4)[%arg3] {
      %0 = affine.load %arg1[%arg5] : memref<?xf32>
      affine.store %0, %arg2[%arg5] : memref<?xf32>
      affine.for %arg6 = 0 to affine_map<(d0) -> (d0)>(%arg5) {
        %4 = affine.load %arg0[%arg5, %arg6] : memref<?x?xf32>
        %5 = affine.load %arg2[%arg6] : memref<?xf32>
        %6 = affine.load %arg2[%arg5] : memref<?xf32>
        %7 = arith.mulf %4, %5 : f32
        %8 = arith.subf %6, %7 : f32
        affine.store %8, %arg2[%arg5] : memref<?xf32>
      }
      %1 = affine.load %arg0[%arg5, %arg5] : memref<?x?xf32>
      %2 = affine.load %arg2[%arg5] : memref<?xf32>
      %3 = arith.divf %2, %1 : f32
      affine.store %3, %arg2[%arg5] : memref<?xf32>
    }
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to %arg2 step 4 {
    affine.for %arg4 = 0 to %arg2 step 4 {
      affine.for %arg5 = affine_map<(d0) -> (d0)>(%arg3) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg3)[%arg2] {
        affine.for %arg6 = affine_map<(d0) -> (d0)>(%arg4) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg4)[%arg2] {
          %0 = affine.load %arg0[%arg5, %arg6] : memref<?x?xf32>
          affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%arg5, %arg6) {
            %1 = affine.load %arg1[%arg5, %arg6] : memref<?x?xf32>
            %2 = arith.addf %0, %1 : f32
            affine.store %2, %arg1[%arg5, %arg6] : memref<?x?xf32>
          } else {
            affine.store %0, %arg1[%arg5, %arg6] : memref<?x?xf32>
          }
        }
      }
    }
  }
  return
}

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to %arg2 step 4 {
    affine.for %arg4 = affine_map<(d0) -> (d0)>(%arg3) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%arg3)[%arg2] {
      %alloc = memref.alloc() : memref<16xf32>
      affine.for %arg5 = 0 to 16 {
        %0 = affine.load %arg0[%arg4, %arg5] : memref<?x?xf32>
        %1 = arith.mulf %0, %0 : f32
        affine.store %1, %alloc[%arg5] : memref<16xf32>
      }
      affine.for %arg5 = 0 to 16 {
        %0 = affine.load %alloc[-%arg5 + 15] : memref<16xf32>
        %1 = affine.load %arg1[%arg4] : memref<?xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %arg1[%arg4] : memref<?xf32>
      }
      memref.dealloc %alloc : memref<16xf32>
    }
  }
  return
}
