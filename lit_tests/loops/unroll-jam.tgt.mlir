// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll-jam{unroll-jam-factor=2}))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --assume nonneg --func constant --func symbolic --func guarded --func local | FileCheck %s
// CHECK: {{^}}equivalent: @constant
// CHECK: {{^}}equivalent: @symbolic
// CHECK: {{^}}equivalent: @guarded
// CHECK: {{^}}equivalent: @local

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  %c12 = arith.constant 12 : index
  affine.for %arg3 = 0 to 12 step 2 {
    affine.for %arg4 = 0 to 11 {
      affine.for %arg5 = 0 to 7 {
        %0 = affine.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %1 = affine.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %2 = affine.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg2[%arg3, %arg4] : memref<13x11xf32>
        %5 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg3)
        %6 = affine.load %arg0[%5, %arg5] : memref<13x7xf32>
        %7 = affine.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %8 = affine.load %arg2[%5, %arg4] : memref<13x11xf32>
        %9 = arith.mulf %6, %7 : f32
        %10 = arith.addf %8, %9 : f32
        affine.store %10, %arg2[%5, %arg4] : memref<13x11xf32>
      }
    }
  }
  affine.for %arg3 = 0 to 11 {
    affine.for %arg4 = 0 to 7 {
      %0 = affine.load %arg0[%c12, %arg4] : memref<13x7xf32>
      %1 = affine.load %arg1[%arg4, %arg3] : memref<7x11xf32>
      %2 = affine.load %arg2[%c12, %arg3] : memref<13x11xf32>
      %3 = arith.mulf %0, %1 : f32
      %4 = arith.addf %2, %3 : f32
      affine.store %4, %arg2[%c12, %arg3] : memref<13x11xf32>
    }
  }
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  affine.for %arg6 = 0 to affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg3] step 2 {
    affine.for %arg7 = 0 to %arg4 {
      affine.for %arg8 = 0 to %arg5 {
        %0 = affine.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = affine.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = affine.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
        %5 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg6)
        %6 = affine.load %arg0[%5, %arg8] : memref<?x?xf32>
        %7 = affine.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %8 = affine.load %arg2[%5, %arg7] : memref<?x?xf32>
        %9 = arith.mulf %6, %7 : f32
        %10 = arith.addf %8, %9 : f32
        affine.store %10, %arg2[%5, %arg7] : memref<?x?xf32>
      }
    }
  }
  affine.for %arg6 = affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg3] to %arg3 {
    affine.for %arg7 = 0 to %arg4 {
      affine.for %arg8 = 0 to %arg5 {
        %0 = affine.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %1 = affine.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %2 = affine.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg2[%arg6, %arg7] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg2] step 2 {
    affine.for %arg4 = 0 to %arg2 {
      %0 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%arg3, %arg4) {
        %3 = affine.load %arg1[%arg3, %arg4] : memref<?x?xf32>
        %4 = arith.addf %0, %3 : f32
        affine.store %4, %arg1[%arg3, %arg4] : memref<?x?xf32>
      } else {
        affine.store %0, %arg1[%arg3, %arg4] : memref<?x?xf32>
      }
      %1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg3)
      %2 = affine.load %arg0[%1, %arg4] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%1, %arg4) {
        %3 = affine.load %arg1[%1, %arg4] : memref<?x?xf32>
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg1[%1, %arg4] : memref<?x?xf32>
      } else {
        affine.store %2, %arg1[%1, %arg4] : memref<?x?xf32>
      }
    }
  }
  affine.for %arg3 = affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg2] to %arg2 {
    affine.for %arg4 = 0 to %arg2 {
      %0 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%arg3, %arg4) {
        %1 = affine.load %arg1[%arg3, %arg4] : memref<?x?xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %arg1[%arg3, %arg4] : memref<?x?xf32>
      } else {
        affine.store %0, %arg1[%arg3, %arg4] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  affine.for %arg3 = 0 to affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg2] step 2 {
    %alloc = memref.alloc() : memref<16xf32>
    %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg3)
    %alloc_0 = memref.alloc() : memref<16xf32>
    affine.for %arg4 = 0 to 16 {
      %2 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %3 = arith.mulf %2, %2 : f32
      affine.store %3, %alloc[%arg4] : memref<16xf32>
      %4 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg3)
      %5 = affine.load %arg0[%4, %arg4] : memref<?x?xf32>
      %6 = arith.mulf %5, %5 : f32
      affine.store %6, %alloc_0[%arg4] : memref<16xf32>
    }
    affine.for %arg4 = 0 to 16 {
      %2 = affine.load %alloc[-%arg4 + 15] : memref<16xf32>
      %3 = affine.load %arg1[%arg3] : memref<?xf32>
      %4 = arith.addf %2, %3 : f32
      affine.store %4, %arg1[%arg3] : memref<?xf32>
      %5 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg3)
      %6 = affine.load %alloc_0[-%arg4 + 15] : memref<16xf32>
      %7 = affine.load %arg1[%5] : memref<?xf32>
      %8 = arith.addf %6, %7 : f32
      affine.store %8, %arg1[%5] : memref<?xf32>
    }
    memref.dealloc %alloc : memref<16xf32>
    %1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%arg3)
    memref.dealloc %alloc_0 : memref<16xf32>
  }
  affine.for %arg3 = affine_map<()[s0] -> ((s0 floordiv 2) * 2)>()[%arg2] to %arg2 {
    %alloc = memref.alloc() : memref<16xf32>
    affine.for %arg4 = 0 to 16 {
      %0 = affine.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %1 = arith.mulf %0, %0 : f32
      affine.store %1, %alloc[%arg4] : memref<16xf32>
    }
    affine.for %arg4 = 0 to 16 {
      %0 = affine.load %alloc[-%arg4 + 15] : memref<16xf32>
      %1 = affine.load %arg1[%arg3] : memref<?xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %arg1[%arg3] : memref<?xf32>
    }
    memref.dealloc %alloc : memref<16xf32>
  }
  return
}
