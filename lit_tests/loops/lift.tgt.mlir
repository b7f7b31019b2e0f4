// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine),convert-scf-to-cf,canonicalize,lift-cf-to-scf)'
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
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %c0 = arith.constant 0 : index
  %c13 = arith.constant 13 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg3 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg3, %c13 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %5 = scf.while (%arg4 = %c0) : (index) -> index {
        %7 = arith.cmpi slt, %arg4, %c11 : index
        %8:3 = scf.if %7 -> (index, i32, i32) {
          %10 = scf.while (%arg5 = %c0) : (index) -> index {
            %12 = arith.cmpi slt, %arg5, %c7 : index
            %13:3 = scf.if %12 -> (index, i32, i32) {
              %15 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
              %16 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
              %17 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
              %18 = arith.mulf %15, %16 : f32
              %19 = arith.addf %17, %18 : f32
              memref.store %19, %arg2[%arg3, %arg4] : memref<13x11xf32>
              %20 = arith.addi %arg5, %c1 : index
              scf.yield %20, %c0_i32, %c1_i32 : index, i32, i32
            } else {
              scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
            }
            %14 = arith.trunci %13#2 : i32 to i1
            scf.condition(%14) %13#0 : index
          } do {
          ^bb0(%arg5: index):
            scf.yield %arg5 : index
          }
          %11 = arith.addi %arg4, %c1 : index
          scf.yield %11, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %9 = arith.trunci %8#2 : i32 to i1
        scf.condition(%9) %8#0 : index
      } do {
      ^bb0(%arg4: index):
        scf.yield %arg4 : index
      }
      %6 = arith.addi %arg3, %c1 : index
      scf.yield %6, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg3: index):
    scf.yield %arg3 : index
  }
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg6 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg6, %arg3 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %5 = scf.while (%arg7 = %c0) : (index) -> index {
        %7 = arith.cmpi slt, %arg7, %arg4 : index
        %8:3 = scf.if %7 -> (index, i32, i32) {
          %10 = scf.while (%arg8 = %c0) : (index) -> index {
            %12 = arith.cmpi slt, %arg8, %arg5 : index
            %13:3 = scf.if %12 -> (index, i32, i32) {
              %15 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
              %16 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
              %17 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
              %18 = arith.mulf %15, %16 : f32
              %19 = arith.addf %17, %18 : f32
              memref.store %19, %arg2[%arg6, %arg7] : memref<?x?xf32>
              %20 = arith.addi %arg8, %c1 : index
              scf.yield %20, %c0_i32, %c1_i32 : index, i32, i32
            } else {
              scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
            }
            %14 = arith.trunci %13#2 : i32 to i1
            scf.condition(%14) %13#0 : index
          } do {
          ^bb0(%arg8: index):
            scf.yield %arg8 : index
          }
          %11 = arith.addi %arg7, %c1 : index
          scf.yield %11, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %9 = arith.trunci %8#2 : i32 to i1
        scf.condition(%9) %8#0 : index
      } do {
      ^bb0(%arg7: index):
        scf.yield %arg7 : index
      }
      %6 = arith.addi %arg6, %c1 : index
      scf.yield %6, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg6: index):
    scf.yield %arg6 : index
  }
  return
}

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg5 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg5, %arg3 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      memref.store %cst, %arg2[%arg5] : memref<?xf32>
      %5 = scf.while (%arg6 = %c0) : (index) -> index {
        %9 = arith.cmpi slt, %arg6, %arg4 : index
        %10:3 = scf.if %9 -> (index, i32, i32) {
          %12 = memref.load %arg0[%arg5, %arg6] : memref<?x?xf32>
          %13 = memref.load %arg1[%arg6] : memref<?xf32>
          %14 = memref.load %arg2[%arg5] : memref<?xf32>
          %15 = arith.mulf %12, %13 : f32
          %16 = arith.addf %14, %15 : f32
          memref.store %16, %arg2[%arg5] : memref<?xf32>
          %17 = arith.addi %arg6, %c1 : index
          scf.yield %17, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %11 = arith.trunci %10#2 : i32 to i1
        scf.condition(%11) %10#0 : index
      } do {
      ^bb0(%arg6: index):
        scf.yield %arg6 : index
      }
      %6 = memref.load %arg2[%arg5] : memref<?xf32>
      %7 = arith.addf %6, %6 : f32
      memref.store %7, %arg2[%arg5] : memref<?xf32>
      %8 = arith.addi %arg5, %c1 : index
      scf.yield %8, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg5: index):
    scf.yield %arg5 : index
  }
  return
}

func.func @triangular(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg3 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg3, %arg2 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %5 = arith.addi %arg3, %c1 : index
      %6 = scf.while (%arg4 = %c0) : (index) -> index {
        %8 = arith.cmpi slt, %arg4, %5 : index
        %9:3 = scf.if %8 -> (index, i32, i32) {
          %11 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
          %12 = memref.load %arg1[%arg4] : memref<?xf32>
          %13 = arith.addf %11, %12 : f32
          memref.store %13, %arg0[%arg3, %arg4] : memref<?x?xf32>
          %14 = arith.addi %arg4, %c1 : index
          scf.yield %14, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %10 = arith.trunci %9#2 : i32 to i1
        scf.condition(%10) %9#0 : index
      } do {
      ^bb0(%arg4: index):
        scf.yield %arg4 : index
      }
      %7 = arith.addi %arg3, %c1 : index
      scf.yield %7, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg3: index):
    scf.yield %arg3 : index
  }
  return
}

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg4 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg4, %arg3 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %5 = memref.load %arg1[%arg4] : memref<?xf32>
      memref.store %5, %arg2[%arg4] : memref<?xf32>
      %6 = scf.while (%arg5 = %c0) : (index) -> index {
        %11 = arith.cmpi slt, %arg5, %arg4 : index
        %12:3 = scf.if %11 -> (index, i32, i32) {
          %14 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
          %15 = memref.load %arg2[%arg5] : memref<?xf32>
          %16 = memref.load %arg2[%arg4] : memref<?xf32>
          %17 = arith.mulf %14, %15 : f32
          %18 = arith.subf %16, %17 : f32
          memref.store %18, %arg2[%arg4] : memref<?xf32>
          %19 = arith.addi %arg5, %c1 : index
          scf.yield %19, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %13 = arith.trunci %12#2 : i32 to i1
        scf.condition(%13) %12#0 : index
      } do {
      ^bb0(%arg5: index):
        scf.yield %arg5 : index
      }
      %7 = memref.load %arg0[%arg4, %arg4] : memref<?x?xf32>
      %8 = memref.load %arg2[%arg4] : memref<?xf32>
      %9 = arith.divf %8, %7 : f32
      memref.store %9, %arg2[%arg4] : memref<?xf32>
      %10 = arith.addi %arg4, %c1 : index
      scf.yield %10, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg4: index):
    scf.yield %arg4 : index
  }
  return
}

func.func @trapezoid(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c4 = arith.constant 4 : index
  %c-3 = arith.constant -3 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg4 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg4, %arg3 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %5 = arith.addi %arg4, %c-3 : index
      %6 = arith.maxsi %5, %c0 : index
      %7 = arith.addi %arg4, %c4 : index
      %8 = arith.minsi %7, %arg3 : index
      %9 = scf.while (%arg5 = %6) : (index) -> index {
        %11 = arith.cmpi slt, %arg5, %8 : index
        %12:3 = scf.if %11 -> (index, i32, i32) {
          %14 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
          %15 = memref.load %arg1[%arg5] : memref<?xf32>
          %16 = memref.load %arg2[%arg4] : memref<?xf32>
          %17 = arith.mulf %14, %15 : f32
          %18 = arith.addf %16, %17 : f32
          memref.store %18, %arg2[%arg4] : memref<?xf32>
          %19 = arith.addi %arg5, %c1 : index
          scf.yield %19, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %13 = arith.trunci %12#2 : i32 to i1
        scf.condition(%13) %12#0 : index
      } do {
      ^bb0(%arg5: index):
        scf.yield %arg5 : index
      }
      %10 = arith.addi %arg4, %c1 : index
      scf.yield %10, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg4: index):
    scf.yield %arg4 : index
  }
  return
}

func.func @bounds(%arg0: memref<?x?xf32>, %arg1: f32, %arg2: index, %arg3: index, %arg4: index, %arg5: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c17 = arith.constant 17 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %1 = arith.maxsi %arg2, %arg3 : index
  %2 = arith.maxsi %1, %c0 : index
  %3 = arith.addi %arg5, %c2 : index
  %4 = arith.minsi %arg4, %3 : index
  %5 = scf.while (%arg6 = %2) : (index) -> index {
    %6 = arith.cmpi slt, %arg6, %4 : index
    %7:3 = scf.if %6 -> (index, i32, i32) {
      %9 = arith.muli %arg6, %c2 overflow<nsw> : index
      %10 = arith.minsi %arg5, %c17 : index
      %11 = arith.minsi %10, %9 : index
      %12 = scf.while (%arg7 = %c0) : (index) -> index {
        %14 = arith.cmpi slt, %arg7, %11 : index
        %15:3 = scf.if %14 -> (index, i32, i32) {
          %17 = memref.load %arg0[%arg6, %arg7] : memref<?x?xf32>
          %18 = arith.mulf %17, %arg1 : f32
          memref.store %18, %arg0[%arg6, %arg7] : memref<?x?xf32>
          %19 = arith.addi %arg7, %c1 : index
          scf.yield %19, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %16 = arith.trunci %15#2 : i32 to i1
        scf.condition(%16) %15#0 : index
      } do {
      ^bb0(%arg7: index):
        scf.yield %arg7 : index
      }
      %13 = arith.addi %arg6, %c1 : index
      scf.yield %13, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %8 = arith.trunci %7#2 : i32 to i1
    scf.condition(%8) %7#0 : index
  } do {
  ^bb0(%arg6: index):
    scf.yield %arg6 : index
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg3 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg3, %arg2 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %5 = scf.while (%arg4 = %c0) : (index) -> index {
        %7 = arith.cmpi slt, %arg4, %arg2 : index
        %8:3 = scf.if %7 -> (index, i32, i32) {
          %10 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
          %11 = arith.subi %arg3, %arg4 : index
          %12 = arith.addi %11, %c-1 : index
          %13 = arith.cmpi sge, %12, %c0 : index
          scf.if %13 {
            %15 = memref.load %arg1[%arg3, %arg4] : memref<?x?xf32>
            %16 = arith.addf %10, %15 : f32
            memref.store %16, %arg1[%arg3, %arg4] : memref<?x?xf32>
          } else {
            memref.store %10, %arg1[%arg3, %arg4] : memref<?x?xf32>
          }
          %14 = arith.addi %arg4, %c1 : index
          scf.yield %14, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %9 = arith.trunci %8#2 : i32 to i1
        scf.condition(%9) %8#0 : index
      } do {
      ^bb0(%arg4: index):
        scf.yield %arg4 : index
      }
      %6 = arith.addi %arg3, %c1 : index
      scf.yield %6, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg3: index):
    scf.yield %arg3 : index
  }
  return
}

func.func @carried(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) -> f32 {
  %0 = ub.poison : f32
  %1 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %2:3 = scf.while (%arg4 = %c0, %arg5 = %cst, %arg6 = %0) : (index, f32, f32) -> (index, f32, f32) {
    %3 = arith.cmpi slt, %arg4, %arg2 : index
    %4:4 = scf.if %3 -> (index, f32, i32, i32) {
      %6:3 = scf.while (%arg7 = %c0, %arg8 = %arg5, %arg9 = %0) : (index, f32, f32) -> (index, f32, f32) {
        %8 = arith.cmpi slt, %arg7, %arg3 : index
        %9:4 = scf.if %8 -> (index, f32, i32, i32) {
          %11 = memref.load %arg0[%arg4, %arg7] : memref<?x?xf32>
          %12 = arith.addf %arg8, %11 : f32
          %13 = arith.addi %arg7, %c1 : index
          scf.yield %13, %12, %c0_i32, %c1_i32 : index, f32, i32, i32
        } else {
          scf.yield %1, %0, %c1_i32, %c0_i32 : index, f32, i32, i32
        }
        %10 = arith.trunci %9#3 : i32 to i1
        scf.condition(%10) %9#0, %9#1, %arg8 : index, f32, f32
      } do {
      ^bb0(%arg7: index, %arg8: f32, %arg9: f32):
        scf.yield %arg7, %arg8, %arg9 : index, f32, f32
      }
      memref.store %6#2, %arg1[%arg4] : memref<?xf32>
      %7 = arith.addi %arg4, %c1 : index
      scf.yield %7, %6#2, %c0_i32, %c1_i32 : index, f32, i32, i32
    } else {
      scf.yield %1, %0, %c1_i32, %c0_i32 : index, f32, i32, i32
    }
    %5 = arith.trunci %4#3 : i32 to i1
    scf.condition(%5) %4#0, %4#1, %arg5 : index, f32, f32
  } do {
  ^bb0(%arg4: index, %arg5: f32, %arg6: f32):
    scf.yield %arg4, %arg5, %arg6 : index, f32, f32
  }
  return %2#2 : f32
}

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg3 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg3, %arg2 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %alloc = memref.alloc() : memref<16xf32>
      %5:2 = scf.while (%arg4 = %c0, %arg5 = %0) : (index, index) -> (index, index) {
        %8 = arith.cmpi slt, %arg4, %c16 : index
        %9:4 = scf.if %8 -> (index, index, i32, i32) {
          %11 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
          %12 = arith.mulf %11, %11 : f32
          memref.store %12, %alloc[%arg4] : memref<16xf32>
          %13 = arith.addi %arg4, %c1 : index
          scf.yield %13, %0, %c0_i32, %c1_i32 : index, index, i32, i32
        } else {
          scf.yield %0, %c0, %c1_i32, %c0_i32 : index, index, i32, i32
        }
        %10 = arith.trunci %9#3 : i32 to i1
        scf.condition(%10) %9#0, %9#1 : index, index
      } do {
      ^bb0(%arg4: index, %arg5: index):
        scf.yield %arg4, %arg5 : index, index
      }
      %6 = scf.while (%arg4 = %5#1) : (index) -> index {
        %8 = arith.cmpi slt, %arg4, %c16 : index
        %9:3 = scf.if %8 -> (index, i32, i32) {
          %11 = arith.subi %c15, %arg4 : index
          %12 = memref.load %alloc[%11] : memref<16xf32>
          %13 = memref.load %arg1[%arg3] : memref<?xf32>
          %14 = arith.addf %12, %13 : f32
          memref.store %14, %arg1[%arg3] : memref<?xf32>
          %15 = arith.addi %arg4, %c1 : index
          scf.yield %15, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %10 = arith.trunci %9#2 : i32 to i1
        scf.condition(%10) %9#0 : index
      } do {
      ^bb0(%arg4: index):
        scf.yield %arg4 : index
      }
      memref.dealloc %alloc : memref<16xf32>
      %7 = arith.addi %arg3, %c1 : index
      scf.yield %7, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg3: index):
    scf.yield %arg3 : index
  }
  return
}

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  %0 = ub.poison : index
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %1 = scf.while (%arg3 = %c0) : (index) -> index {
    %2 = arith.cmpi slt, %arg3, %arg1 : index
    %3:3 = scf.if %2 -> (index, i32, i32) {
      %5 = arith.addi %arg2, %c-1 : index
      %6 = scf.while (%arg4 = %c1) : (index) -> index {
        %8 = arith.cmpi slt, %arg4, %5 : index
        %9:3 = scf.if %8 -> (index, i32, i32) {
          %11 = arith.addi %arg4, %c-1 : index
          %12 = memref.load %arg0[%11] : memref<?xf32>
          %13 = memref.load %arg0[%arg4] : memref<?xf32>
          %14 = arith.addi %arg4, %c1 : index
          %15 = memref.load %arg0[%14] : memref<?xf32>
          %16 = arith.addf %12, %13 : f32
          %17 = arith.addf %16, %15 : f32
          memref.store %17, %arg0[%arg4] : memref<?xf32>
          %18 = arith.addi %arg4, %c1 : index
          scf.yield %18, %c0_i32, %c1_i32 : index, i32, i32
        } else {
          scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
        }
        %10 = arith.trunci %9#2 : i32 to i1
        scf.condition(%10) %9#0 : index
      } do {
      ^bb0(%arg4: index):
        scf.yield %arg4 : index
      }
      %7 = arith.addi %arg3, %c1 : index
      scf.yield %7, %c0_i32, %c1_i32 : index, i32, i32
    } else {
      scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
    }
    %4 = arith.trunci %3#2 : i32 to i1
    scf.condition(%4) %3#0 : index
  } do {
  ^bb0(%arg3: index):
    scf.yield %arg3 : index
  }
  return
}
