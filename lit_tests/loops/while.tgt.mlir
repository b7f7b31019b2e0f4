// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine),scf-for-to-while)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --func constant --func symbolic --func imperfect --func triangular --func substitution --func trapezoid --func bounds --func guarded --func carried --func local --func stencil | FileCheck %s
// CHECK: {{^}}equivalent: @constant
// CHECK: {{^}}equivalent: @symbolic
// CHECK: {{^}}equivalent: @imperfect
// CHECK: {{^}}equivalent: @triangular
// CHECK: {{^}}equivalent: @substitution
// CHECK: {{^}}equivalent: @trapezoid
// CHECK: {{^}}equivalent: @bounds
// CHECK: {{^}}equivalent: @guarded
// CHECK: {{^}}equivalent: @carried
// CHECK: {{^}}equivalent: @local
// CHECK: {{^}}equivalent: @stencil

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %c0 = arith.constant 0 : index
  %c13 = arith.constant 13 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg3 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg3, %c13 : index
    scf.condition(%1) %arg3 : index
  } do {
  ^bb0(%arg3: index):
    %1 = arith.addi %arg3, %c1 : index
    %2 = scf.while (%arg4 = %c0) : (index) -> index {
      %3 = arith.cmpi slt, %arg4, %c11 : index
      scf.condition(%3) %arg4 : index
    } do {
    ^bb0(%arg4: index):
      %3 = arith.addi %arg4, %c1 : index
      %4 = scf.while (%arg5 = %c0) : (index) -> index {
        %5 = arith.cmpi slt, %arg5, %c7 : index
        scf.condition(%5) %arg5 : index
      } do {
      ^bb0(%arg5: index):
        %5 = arith.addi %arg5, %c1 : index
        %6 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
        %7 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
        %8 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
        %9 = arith.mulf %6, %7 : f32
        %10 = arith.addf %8, %9 : f32
        memref.store %10, %arg2[%arg3, %arg4] : memref<13x11xf32>
        scf.yield %5 : index
      }
      scf.yield %3 : index
    }
    scf.yield %1 : index
  }
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg6 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg6, %arg3 : index
    scf.condition(%1) %arg6 : index
  } do {
  ^bb0(%arg6: index):
    %1 = arith.addi %arg6, %c1 : index
    %2 = scf.while (%arg7 = %c0) : (index) -> index {
      %3 = arith.cmpi slt, %arg7, %arg4 : index
      scf.condition(%3) %arg7 : index
    } do {
    ^bb0(%arg7: index):
      %3 = arith.addi %arg7, %c1 : index
      %4 = scf.while (%arg8 = %c0) : (index) -> index {
        %5 = arith.cmpi slt, %arg8, %arg5 : index
        scf.condition(%5) %arg8 : index
      } do {
      ^bb0(%arg8: index):
        %5 = arith.addi %arg8, %c1 : index
        %6 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
        %7 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
        %8 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
        %9 = arith.mulf %6, %7 : f32
        %10 = arith.addf %8, %9 : f32
        memref.store %10, %arg2[%arg6, %arg7] : memref<?x?xf32>
        scf.yield %5 : index
      }
      scf.yield %3 : index
    }
    scf.yield %1 : index
  }
  return
}

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg5 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg5, %arg3 : index
    scf.condition(%1) %arg5 : index
  } do {
  ^bb0(%arg5: index):
    %1 = arith.addi %arg5, %c1 : index
    memref.store %cst, %arg2[%arg5] : memref<?xf32>
    %2 = scf.while (%arg6 = %c0) : (index) -> index {
      %5 = arith.cmpi slt, %arg6, %arg4 : index
      scf.condition(%5) %arg6 : index
    } do {
    ^bb0(%arg6: index):
      %5 = arith.addi %arg6, %c1 : index
      %6 = memref.load %arg0[%arg5, %arg6] : memref<?x?xf32>
      %7 = memref.load %arg1[%arg6] : memref<?xf32>
      %8 = memref.load %arg2[%arg5] : memref<?xf32>
      %9 = arith.mulf %6, %7 : f32
      %10 = arith.addf %8, %9 : f32
      memref.store %10, %arg2[%arg5] : memref<?xf32>
      scf.yield %5 : index
    }
    %3 = memref.load %arg2[%arg5] : memref<?xf32>
    %4 = arith.addf %3, %3 : f32
    memref.store %4, %arg2[%arg5] : memref<?xf32>
    scf.yield %1 : index
  }
  return
}

func.func @triangular(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg3 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg3, %arg2 : index
    scf.condition(%1) %arg3 : index
  } do {
  ^bb0(%arg3: index):
    %1 = arith.addi %arg3, %c1 : index
    %2 = arith.addi %arg3, %c1 : index
    %3 = scf.while (%arg4 = %c0) : (index) -> index {
      %4 = arith.cmpi slt, %arg4, %2 : index
      scf.condition(%4) %arg4 : index
    } do {
    ^bb0(%arg4: index):
      %4 = arith.addi %arg4, %c1 : index
      %5 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %6 = memref.load %arg1[%arg4] : memref<?xf32>
      %7 = arith.addf %5, %6 : f32
      memref.store %7, %arg0[%arg3, %arg4] : memref<?x?xf32>
      scf.yield %4 : index
    }
    scf.yield %1 : index
  }
  return
}

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg4 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg4, %arg3 : index
    scf.condition(%1) %arg4 : index
  } do {
  ^bb0(%arg4: index):
    %1 = arith.addi %arg4, %c1 : index
    %2 = memref.load %arg1[%arg4] : memref<?xf32>
    memref.store %2, %arg2[%arg4] : memref<?xf32>
    %3 = scf.while (%arg5 = %c0) : (index) -> index {
      %7 = arith.cmpi slt, %arg5, %arg4 : index
      scf.condition(%7) %arg5 : index
    } do {
    ^bb0(%arg5: index):
      %7 = arith.addi %arg5, %c1 : index
      %8 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
      %9 = memref.load %arg2[%arg5] : memref<?xf32>
      %10 = memref.load %arg2[%arg4] : memref<?xf32>
      %11 = arith.mulf %8, %9 : f32
      %12 = arith.subf %10, %11 : f32
      memref.store %12, %arg2[%arg4] : memref<?xf32>
      scf.yield %7 : index
    }
    %4 = memref.load %arg0[%arg4, %arg4] : memref<?x?xf32>
    %5 = memref.load %arg2[%arg4] : memref<?xf32>
    %6 = arith.divf %5, %4 : f32
    memref.store %6, %arg2[%arg4] : memref<?xf32>
    scf.yield %1 : index
  }
  return
}

func.func @trapezoid(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %c4 = arith.constant 4 : index
  %c-3 = arith.constant -3 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg4 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg4, %arg3 : index
    scf.condition(%1) %arg4 : index
  } do {
  ^bb0(%arg4: index):
    %1 = arith.addi %arg4, %c1 : index
    %2 = arith.addi %arg4, %c-3 : index
    %3 = arith.maxsi %2, %c0 : index
    %4 = arith.addi %arg4, %c4 : index
    %5 = arith.minsi %4, %arg3 : index
    %6 = scf.while (%arg5 = %3) : (index) -> index {
      %7 = arith.cmpi slt, %arg5, %5 : index
      scf.condition(%7) %arg5 : index
    } do {
    ^bb0(%arg5: index):
      %7 = arith.addi %arg5, %c1 : index
      %8 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
      %9 = memref.load %arg1[%arg5] : memref<?xf32>
      %10 = memref.load %arg2[%arg4] : memref<?xf32>
      %11 = arith.mulf %8, %9 : f32
      %12 = arith.addf %10, %11 : f32
      memref.store %12, %arg2[%arg4] : memref<?xf32>
      scf.yield %7 : index
    }
    scf.yield %1 : index
  }
  return
}

func.func @bounds(%arg0: memref<?x?xf32>, %arg1: f32, %arg2: index, %arg3: index, %arg4: index, %arg5: index) {
  %c17 = arith.constant 17 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %0 = arith.maxsi %arg2, %arg3 : index
  %1 = arith.maxsi %0, %c0 : index
  %2 = arith.addi %arg5, %c2 : index
  %3 = arith.minsi %arg4, %2 : index
  %4 = scf.while (%arg6 = %1) : (index) -> index {
    %5 = arith.cmpi slt, %arg6, %3 : index
    scf.condition(%5) %arg6 : index
  } do {
  ^bb0(%arg6: index):
    %5 = arith.addi %arg6, %c1 : index
    %6 = arith.muli %arg6, %c2 overflow<nsw> : index
    %7 = arith.minsi %arg5, %c17 : index
    %8 = arith.minsi %7, %6 : index
    %9 = scf.while (%arg7 = %c0) : (index) -> index {
      %10 = arith.cmpi slt, %arg7, %8 : index
      scf.condition(%10) %arg7 : index
    } do {
    ^bb0(%arg7: index):
      %10 = arith.addi %arg7, %c1 : index
      %11 = memref.load %arg0[%arg6, %arg7] : memref<?x?xf32>
      %12 = arith.mulf %11, %arg1 : f32
      memref.store %12, %arg0[%arg6, %arg7] : memref<?x?xf32>
      scf.yield %10 : index
    }
    scf.yield %5 : index
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg3 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg3, %arg2 : index
    scf.condition(%1) %arg3 : index
  } do {
  ^bb0(%arg3: index):
    %1 = arith.addi %arg3, %c1 : index
    %2 = scf.while (%arg4 = %c0) : (index) -> index {
      %3 = arith.cmpi slt, %arg4, %arg2 : index
      scf.condition(%3) %arg4 : index
    } do {
    ^bb0(%arg4: index):
      %3 = arith.addi %arg4, %c1 : index
      %4 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %5 = arith.muli %arg4, %c-1 overflow<nsw> : index
      %6 = arith.addi %arg3, %5 : index
      %7 = arith.addi %6, %c-1 : index
      %8 = arith.cmpi sge, %7, %c0 : index
      scf.if %8 {
        %9 = memref.load %arg1[%arg3, %arg4] : memref<?x?xf32>
        %10 = arith.addf %4, %9 : f32
        memref.store %10, %arg1[%arg3, %arg4] : memref<?x?xf32>
      } else {
        memref.store %4, %arg1[%arg3, %arg4] : memref<?x?xf32>
      }
      scf.yield %3 : index
    }
    scf.yield %1 : index
  }
  return
}

func.func @carried(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) -> f32 {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%arg4 = %c0, %arg5 = %cst) : (index, f32) -> (index, f32) {
    %1 = arith.cmpi slt, %arg4, %arg2 : index
    scf.condition(%1) %arg4, %arg5 : index, f32
  } do {
  ^bb0(%arg4: index, %arg5: f32):
    %1 = arith.addi %arg4, %c1 : index
    %2:2 = scf.while (%arg6 = %c0, %arg7 = %arg5) : (index, f32) -> (index, f32) {
      %3 = arith.cmpi slt, %arg6, %arg3 : index
      scf.condition(%3) %arg6, %arg7 : index, f32
    } do {
    ^bb0(%arg6: index, %arg7: f32):
      %3 = arith.addi %arg6, %c1 : index
      %4 = memref.load %arg0[%arg4, %arg6] : memref<?x?xf32>
      %5 = arith.addf %arg7, %4 : f32
      scf.yield %3, %5 : index, f32
    }
    memref.store %2#1, %arg1[%arg4] : memref<?xf32>
    scf.yield %1, %2#1 : index, f32
  }
  return %0#1 : f32
}

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c15 = arith.constant 15 : index
  %c-1 = arith.constant -1 : index
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg3 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg3, %arg2 : index
    scf.condition(%1) %arg3 : index
  } do {
  ^bb0(%arg3: index):
    %1 = arith.addi %arg3, %c1 : index
    %alloc = memref.alloc() : memref<16xf32>
    %2 = scf.while (%arg4 = %c0) : (index) -> index {
      %4 = arith.cmpi slt, %arg4, %c16 : index
      scf.condition(%4) %arg4 : index
    } do {
    ^bb0(%arg4: index):
      %4 = arith.addi %arg4, %c1 : index
      %5 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
      %6 = arith.mulf %5, %5 : f32
      memref.store %6, %alloc[%arg4] : memref<16xf32>
      scf.yield %4 : index
    }
    %3 = scf.while (%arg4 = %c0) : (index) -> index {
      %4 = arith.cmpi slt, %arg4, %c16 : index
      scf.condition(%4) %arg4 : index
    } do {
    ^bb0(%arg4: index):
      %4 = arith.addi %arg4, %c1 : index
      %5 = arith.muli %arg4, %c-1 overflow<nsw> : index
      %6 = arith.addi %5, %c15 : index
      %7 = memref.load %alloc[%6] : memref<16xf32>
      %8 = memref.load %arg1[%arg3] : memref<?xf32>
      %9 = arith.addf %7, %8 : f32
      memref.store %9, %arg1[%arg3] : memref<?xf32>
      scf.yield %4 : index
    }
    memref.dealloc %alloc : memref<16xf32>
    scf.yield %1 : index
  }
  return
}

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.while (%arg3 = %c0) : (index) -> index {
    %1 = arith.cmpi slt, %arg3, %arg1 : index
    scf.condition(%1) %arg3 : index
  } do {
  ^bb0(%arg3: index):
    %1 = arith.addi %arg3, %c1 : index
    %2 = arith.addi %arg2, %c-1 : index
    %3 = scf.while (%arg4 = %c1) : (index) -> index {
      %4 = arith.cmpi slt, %arg4, %2 : index
      scf.condition(%4) %arg4 : index
    } do {
    ^bb0(%arg4: index):
      %4 = arith.addi %arg4, %c1 : index
      %5 = arith.addi %arg4, %c-1 : index
      %6 = memref.load %arg0[%5] : memref<?xf32>
      %7 = memref.load %arg0[%arg4] : memref<?xf32>
      %8 = arith.addi %arg4, %c1 : index
      %9 = memref.load %arg0[%8] : memref<?xf32>
      %10 = arith.addf %6, %7 : f32
      %11 = arith.addf %10, %9 : f32
      memref.store %11, %arg0[%arg4] : memref<?xf32>
      scf.yield %4 : index
    }
    scf.yield %1 : index
  }
  return
}
