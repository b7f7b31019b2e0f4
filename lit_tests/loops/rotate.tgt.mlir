// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(lower-affine),scf-for-to-while,func.func(test-wrap-scf-while-loop-in-zero-trip-check))'
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
  %true = arith.constant true
  %0 = scf.if %true -> (index) {
    %1 = scf.while (%arg3 = %c0) : (index) -> index {
      %2 = arith.addi %arg3, %c1 : index
      %3 = scf.if %true -> (index) {
        %5 = scf.while (%arg4 = %c0) : (index) -> index {
          %6 = arith.addi %arg4, %c1 : index
          %7 = scf.if %true -> (index) {
            %9 = scf.while (%arg5 = %c0) : (index) -> index {
              %10 = arith.addi %arg5, %c1 : index
              %11 = memref.load %arg0[%arg3, %arg5] : memref<13x7xf32>
              %12 = memref.load %arg1[%arg5, %arg4] : memref<7x11xf32>
              %13 = memref.load %arg2[%arg3, %arg4] : memref<13x11xf32>
              %14 = arith.mulf %11, %12 : f32
              %15 = arith.addf %13, %14 : f32
              memref.store %15, %arg2[%arg3, %arg4] : memref<13x11xf32>
              %16 = arith.cmpi slt, %10, %c7 : index
              scf.condition(%16) %10 : index
            } do {
            ^bb0(%arg5: index):
              scf.yield %arg5 : index
            }
            scf.yield %9 : index
          } else {
            scf.yield %c0 : index
          }
          %8 = arith.cmpi slt, %6, %c11 : index
          scf.condition(%8) %6 : index
        } do {
        ^bb0(%arg4: index):
          scf.yield %arg4 : index
        }
        scf.yield %5 : index
      } else {
        scf.yield %c0 : index
      }
      %4 = arith.cmpi slt, %2, %c13 : index
      scf.condition(%4) %2 : index
    } do {
    ^bb0(%arg3: index):
      scf.yield %arg3 : index
    }
    scf.yield %1 : index
  } else {
    scf.yield %c0 : index
  }
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg3, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg6 = %c0) : (index) -> index {
      %3 = arith.addi %arg6, %c1 : index
      %4 = arith.cmpi sgt, %arg4, %c0 : index
      %5 = scf.if %4 -> (index) {
        %7 = scf.while (%arg7 = %c0) : (index) -> index {
          %8 = arith.addi %arg7, %c1 : index
          %9 = arith.cmpi sgt, %arg5, %c0 : index
          %10 = scf.if %9 -> (index) {
            %12 = scf.while (%arg8 = %c0) : (index) -> index {
              %13 = arith.addi %arg8, %c1 : index
              %14 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf32>
              %15 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf32>
              %16 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf32>
              %17 = arith.mulf %14, %15 : f32
              %18 = arith.addf %16, %17 : f32
              memref.store %18, %arg2[%arg6, %arg7] : memref<?x?xf32>
              %19 = arith.cmpi slt, %13, %arg5 : index
              scf.condition(%19) %13 : index
            } do {
            ^bb0(%arg8: index):
              scf.yield %arg8 : index
            }
            scf.yield %12 : index
          } else {
            scf.yield %c0 : index
          }
          %11 = arith.cmpi slt, %8, %arg4 : index
          scf.condition(%11) %8 : index
        } do {
        ^bb0(%arg7: index):
          scf.yield %arg7 : index
        }
        scf.yield %7 : index
      } else {
        scf.yield %c0 : index
      }
      %6 = arith.cmpi slt, %3, %arg3 : index
      scf.condition(%6) %3 : index
    } do {
    ^bb0(%arg6: index):
      scf.yield %arg6 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
  }
  return
}

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg3, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg5 = %c0) : (index) -> index {
      %3 = arith.addi %arg5, %c1 : index
      memref.store %cst, %arg2[%arg5] : memref<?xf32>
      %4 = arith.cmpi sgt, %arg4, %c0 : index
      %5 = scf.if %4 -> (index) {
        %9 = scf.while (%arg6 = %c0) : (index) -> index {
          %10 = arith.addi %arg6, %c1 : index
          %11 = memref.load %arg0[%arg5, %arg6] : memref<?x?xf32>
          %12 = memref.load %arg1[%arg6] : memref<?xf32>
          %13 = memref.load %arg2[%arg5] : memref<?xf32>
          %14 = arith.mulf %11, %12 : f32
          %15 = arith.addf %13, %14 : f32
          memref.store %15, %arg2[%arg5] : memref<?xf32>
          %16 = arith.cmpi slt, %10, %arg4 : index
          scf.condition(%16) %10 : index
        } do {
        ^bb0(%arg6: index):
          scf.yield %arg6 : index
        }
        scf.yield %9 : index
      } else {
        scf.yield %c0 : index
      }
      %6 = memref.load %arg2[%arg5] : memref<?xf32>
      %7 = arith.addf %6, %6 : f32
      memref.store %7, %arg2[%arg5] : memref<?xf32>
      %8 = arith.cmpi slt, %3, %arg3 : index
      scf.condition(%8) %3 : index
    } do {
    ^bb0(%arg5: index):
      scf.yield %arg5 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
  }
  return
}

func.func @triangular(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg2, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg3 = %c0) : (index) -> index {
      %3 = arith.addi %arg3, %c1 : index
      %4 = arith.addi %arg3, %c1 : index
      %5 = arith.cmpi sgt, %4, %c0 : index
      %6 = scf.if %5 -> (index) {
        %8 = scf.while (%arg4 = %c0) : (index) -> index {
          %9 = arith.addi %arg4, %c1 : index
          %10 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
          %11 = memref.load %arg1[%arg4] : memref<?xf32>
          %12 = arith.addf %10, %11 : f32
          memref.store %12, %arg0[%arg3, %arg4] : memref<?x?xf32>
          %13 = arith.cmpi slt, %9, %4 : index
          scf.condition(%13) %9 : index
        } do {
        ^bb0(%arg4: index):
          scf.yield %arg4 : index
        }
        scf.yield %8 : index
      } else {
        scf.yield %c0 : index
      }
      %7 = arith.cmpi slt, %3, %arg2 : index
      scf.condition(%7) %3 : index
    } do {
    ^bb0(%arg3: index):
      scf.yield %arg3 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
  }
  return
}

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg3, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg4 = %c0) : (index) -> index {
      %3 = arith.addi %arg4, %c1 : index
      %4 = memref.load %arg1[%arg4] : memref<?xf32>
      memref.store %4, %arg2[%arg4] : memref<?xf32>
      %5 = arith.cmpi sgt, %arg4, %c0 : index
      %6 = scf.if %5 -> (index) {
        %11 = scf.while (%arg5 = %c0) : (index) -> index {
          %12 = arith.addi %arg5, %c1 : index
          %13 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
          %14 = memref.load %arg2[%arg5] : memref<?xf32>
          %15 = memref.load %arg2[%arg4] : memref<?xf32>
          %16 = arith.mulf %13, %14 : f32
          %17 = arith.subf %15, %16 : f32
          memref.store %17, %arg2[%arg4] : memref<?xf32>
          %18 = arith.cmpi slt, %12, %arg4 : index
          scf.condition(%18) %12 : index
        } do {
        ^bb0(%arg5: index):
          scf.yield %arg5 : index
        }
        scf.yield %11 : index
      } else {
        scf.yield %c0 : index
      }
      %7 = memref.load %arg0[%arg4, %arg4] : memref<?x?xf32>
      %8 = memref.load %arg2[%arg4] : memref<?xf32>
      %9 = arith.divf %8, %7 : f32
      memref.store %9, %arg2[%arg4] : memref<?xf32>
      %10 = arith.cmpi slt, %3, %arg3 : index
      scf.condition(%10) %3 : index
    } do {
    ^bb0(%arg4: index):
      scf.yield %arg4 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
  }
  return
}

func.func @trapezoid(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %c4 = arith.constant 4 : index
  %c-3 = arith.constant -3 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg3, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg4 = %c0) : (index) -> index {
      %3 = arith.addi %arg4, %c1 : index
      %4 = arith.addi %arg4, %c-3 : index
      %5 = arith.maxsi %4, %c0 : index
      %6 = arith.addi %arg4, %c4 : index
      %7 = arith.minsi %6, %arg3 : index
      %8 = arith.cmpi slt, %5, %7 : index
      %9 = scf.if %8 -> (index) {
        %11 = scf.while (%arg5 = %5) : (index) -> index {
          %12 = arith.addi %arg5, %c1 : index
          %13 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
          %14 = memref.load %arg1[%arg5] : memref<?xf32>
          %15 = memref.load %arg2[%arg4] : memref<?xf32>
          %16 = arith.mulf %13, %14 : f32
          %17 = arith.addf %15, %16 : f32
          memref.store %17, %arg2[%arg4] : memref<?xf32>
          %18 = arith.cmpi slt, %12, %7 : index
          scf.condition(%18) %12 : index
        } do {
        ^bb0(%arg5: index):
          scf.yield %arg5 : index
        }
        scf.yield %11 : index
      } else {
        scf.yield %5 : index
      }
      %10 = arith.cmpi slt, %3, %arg3 : index
      scf.condition(%10) %3 : index
    } do {
    ^bb0(%arg4: index):
      scf.yield %arg4 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
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
  %4 = arith.cmpi slt, %1, %3 : index
  %5 = scf.if %4 -> (index) {
    %6 = scf.while (%arg6 = %1) : (index) -> index {
      %7 = arith.addi %arg6, %c1 : index
      %8 = arith.muli %arg6, %c2 overflow<nsw> : index
      %9 = arith.minsi %arg5, %c17 : index
      %10 = arith.minsi %9, %8 : index
      %11 = arith.cmpi sgt, %10, %c0 : index
      %12 = scf.if %11 -> (index) {
        %14 = scf.while (%arg7 = %c0) : (index) -> index {
          %15 = arith.addi %arg7, %c1 : index
          %16 = memref.load %arg0[%arg6, %arg7] : memref<?x?xf32>
          %17 = arith.mulf %16, %arg1 : f32
          memref.store %17, %arg0[%arg6, %arg7] : memref<?x?xf32>
          %18 = arith.cmpi slt, %15, %10 : index
          scf.condition(%18) %15 : index
        } do {
        ^bb0(%arg7: index):
          scf.yield %arg7 : index
        }
        scf.yield %14 : index
      } else {
        scf.yield %c0 : index
      }
      %13 = arith.cmpi slt, %7, %3 : index
      scf.condition(%13) %7 : index
    } do {
    ^bb0(%arg6: index):
      scf.yield %arg6 : index
    }
    scf.yield %6 : index
  } else {
    scf.yield %1 : index
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg2, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg3 = %c0) : (index) -> index {
      %3 = arith.addi %arg3, %c1 : index
      %4 = arith.cmpi sgt, %arg2, %c0 : index
      %5 = scf.if %4 -> (index) {
        %7 = scf.while (%arg4 = %c0) : (index) -> index {
          %8 = arith.addi %arg4, %c1 : index
          %9 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
          %10 = arith.muli %arg4, %c-1 overflow<nsw> : index
          %11 = arith.addi %arg3, %10 : index
          %12 = arith.addi %11, %c-1 : index
          %13 = arith.cmpi sge, %12, %c0 : index
          scf.if %13 {
            %15 = memref.load %arg1[%arg3, %arg4] : memref<?x?xf32>
            %16 = arith.addf %9, %15 : f32
            memref.store %16, %arg1[%arg3, %arg4] : memref<?x?xf32>
          } else {
            memref.store %9, %arg1[%arg3, %arg4] : memref<?x?xf32>
          }
          %14 = arith.cmpi slt, %8, %arg2 : index
          scf.condition(%14) %8 : index
        } do {
        ^bb0(%arg4: index):
          scf.yield %arg4 : index
        }
        scf.yield %7 : index
      } else {
        scf.yield %c0 : index
      }
      %6 = arith.cmpi slt, %3, %arg2 : index
      scf.condition(%6) %3 : index
    } do {
    ^bb0(%arg3: index):
      scf.yield %arg3 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
  }
  return
}

func.func @carried(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) -> f32 {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg2, %c0 : index
  %1:2 = scf.if %0 -> (index, f32) {
    %2:2 = scf.while (%arg4 = %c0, %arg5 = %cst) : (index, f32) -> (index, f32) {
      %3 = arith.addi %arg4, %c1 : index
      %4 = arith.cmpi sgt, %arg3, %c0 : index
      %5:2 = scf.if %4 -> (index, f32) {
        %7:2 = scf.while (%arg6 = %c0, %arg7 = %arg5) : (index, f32) -> (index, f32) {
          %8 = arith.addi %arg6, %c1 : index
          %9 = memref.load %arg0[%arg4, %arg6] : memref<?x?xf32>
          %10 = arith.addf %arg7, %9 : f32
          %11 = arith.cmpi slt, %8, %arg3 : index
          scf.condition(%11) %8, %10 : index, f32
        } do {
        ^bb0(%arg6: index, %arg7: f32):
          scf.yield %arg6, %arg7 : index, f32
        }
        scf.yield %7#0, %7#1 : index, f32
      } else {
        scf.yield %c0, %arg5 : index, f32
      }
      memref.store %5#1, %arg1[%arg4] : memref<?xf32>
      %6 = arith.cmpi slt, %3, %arg2 : index
      scf.condition(%6) %3, %5#1 : index, f32
    } do {
    ^bb0(%arg4: index, %arg5: f32):
      scf.yield %arg4, %arg5 : index, f32
    }
    scf.yield %2#0, %2#1 : index, f32
  } else {
    scf.yield %c0, %cst : index, f32
  }
  return %1#1 : f32
}

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %true = arith.constant true
  %c15 = arith.constant 15 : index
  %c-1 = arith.constant -1 : index
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg2, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg3 = %c0) : (index) -> index {
      %3 = arith.addi %arg3, %c1 : index
      %alloc = memref.alloc() : memref<16xf32>
      %4 = scf.if %true -> (index) {
        %7 = scf.while (%arg4 = %c0) : (index) -> index {
          %8 = arith.addi %arg4, %c1 : index
          %9 = memref.load %arg0[%arg3, %arg4] : memref<?x?xf32>
          %10 = arith.mulf %9, %9 : f32
          memref.store %10, %alloc[%arg4] : memref<16xf32>
          %11 = arith.cmpi slt, %8, %c16 : index
          scf.condition(%11) %8 : index
        } do {
        ^bb0(%arg4: index):
          scf.yield %arg4 : index
        }
        scf.yield %7 : index
      } else {
        scf.yield %c0 : index
      }
      %5 = scf.if %true -> (index) {
        %7 = scf.while (%arg4 = %c0) : (index) -> index {
          %8 = arith.addi %arg4, %c1 : index
          %9 = arith.muli %arg4, %c-1 overflow<nsw> : index
          %10 = arith.addi %9, %c15 : index
          %11 = memref.load %alloc[%10] : memref<16xf32>
          %12 = memref.load %arg1[%arg3] : memref<?xf32>
          %13 = arith.addf %11, %12 : f32
          memref.store %13, %arg1[%arg3] : memref<?xf32>
          %14 = arith.cmpi slt, %8, %c16 : index
          scf.condition(%14) %8 : index
        } do {
        ^bb0(%arg4: index):
          scf.yield %arg4 : index
        }
        scf.yield %7 : index
      } else {
        scf.yield %c0 : index
      }
      memref.dealloc %alloc : memref<16xf32>
      %6 = arith.cmpi slt, %3, %arg2 : index
      scf.condition(%6) %3 : index
    } do {
    ^bb0(%arg3: index):
      scf.yield %arg3 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
  }
  return
}

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  %c-1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.cmpi sgt, %arg1, %c0 : index
  %1 = scf.if %0 -> (index) {
    %2 = scf.while (%arg3 = %c0) : (index) -> index {
      %3 = arith.addi %arg3, %c1 : index
      %4 = arith.addi %arg2, %c-1 : index
      %5 = arith.cmpi sgt, %4, %c1 : index
      %6 = scf.if %5 -> (index) {
        %8 = scf.while (%arg4 = %c1) : (index) -> index {
          %9 = arith.addi %arg4, %c1 : index
          %10 = arith.addi %arg4, %c-1 : index
          %11 = memref.load %arg0[%10] : memref<?xf32>
          %12 = memref.load %arg0[%arg4] : memref<?xf32>
          %13 = arith.addi %arg4, %c1 : index
          %14 = memref.load %arg0[%13] : memref<?xf32>
          %15 = arith.addf %11, %12 : f32
          %16 = arith.addf %15, %14 : f32
          memref.store %16, %arg0[%arg4] : memref<?xf32>
          %17 = arith.cmpi slt, %9, %4 : index
          scf.condition(%17) %9 : index
        } do {
        ^bb0(%arg4: index):
          scf.yield %arg4 : index
        }
        scf.yield %8 : index
      } else {
        scf.yield %c1 : index
      }
      %7 = arith.cmpi slt, %3, %arg1 : index
      scf.condition(%7) %3 : index
    } do {
    ^bb0(%arg3: index):
      scf.yield %arg3 : index
    }
    scf.yield %2 : index
  } else {
    scf.yield %c0 : index
  }
  return
}
