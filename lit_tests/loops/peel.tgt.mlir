// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4},lower-affine,canonicalize,scf-for-loop-peeling,canonicalize))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/shapes.src.mlir %s --assume nonneg --func constant --func symbolic --func imperfect --func substitution --func guarded --func local | FileCheck %s
// CHECK: {{^}}equivalent: @constant
// CHECK: {{^}}equivalent: @symbolic
// CHECK: {{^}}equivalent: @imperfect
// CHECK: {{^}}equivalent: @substitution
// CHECK: {{^}}equivalent: @guarded
// CHECK: {{^}}equivalent: @local

func.func @constant(%arg0: memref<13x7xf32>, %arg1: memref<7x11xf32>, %arg2: memref<13x11xf32>) {
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %c0 = arith.constant 0 : index
  %c13 = arith.constant 13 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  scf.for %arg3 = %c0 to %c12 step %c4 {
    scf.for %arg4 = %c0 to %c8 step %c4 {
      %0 = arith.addi %arg3, %c4 : index
      %1 = arith.minsi %0, %c13 : index
      scf.for %arg5 = %arg3 to %1 step %c1 {
        %4 = arith.addi %arg4, %c4 : index
        %5 = arith.minsi %4, %c11 : index
        scf.for %arg6 = %arg4 to %5 step %c1 {
          scf.for %arg7 = %c0 to %c4 step %c1 {
            %6 = memref.load %arg0[%arg5, %arg7] : memref<13x7xf32>
            %7 = memref.load %arg1[%arg7, %arg6] : memref<7x11xf32>
            %8 = memref.load %arg2[%arg5, %arg6] : memref<13x11xf32>
            %9 = arith.mulf %6, %7 : f32
            %10 = arith.addf %8, %9 : f32
            memref.store %10, %arg2[%arg5, %arg6] : memref<13x11xf32>
          }
        }
      }
      %2 = arith.addi %arg3, %c4 : index
      %3 = arith.minsi %2, %c13 : index
      scf.for %arg5 = %arg3 to %3 step %c1 {
        %4 = arith.addi %arg4, %c4 : index
        %5 = arith.minsi %4, %c11 : index
        scf.for %arg6 = %arg4 to %5 step %c1 {
          scf.for %arg7 = %c4 to %c7 step %c1 {
            %6 = memref.load %arg0[%arg5, %arg7] : memref<13x7xf32>
            %7 = memref.load %arg1[%arg7, %arg6] : memref<7x11xf32>
            %8 = memref.load %arg2[%arg5, %arg6] : memref<13x11xf32>
            %9 = arith.mulf %6, %7 : f32
            %10 = arith.addf %8, %9 : f32
            memref.store %10, %arg2[%arg5, %arg6] : memref<13x11xf32>
          }
        }
      }
    }
    scf.for %arg4 = %c0 to %c7 step %c4 {
      %0 = arith.addi %arg3, %c4 : index
      %1 = arith.minsi %0, %c13 : index
      scf.for %arg5 = %arg3 to %1 step %c1 {
        scf.for %arg6 = %c8 to %c11 step %c1 {
          %2 = arith.addi %arg4, %c4 : index
          %3 = arith.minsi %2, %c7 : index
          scf.for %arg7 = %arg4 to %3 step %c1 {
            %4 = memref.load %arg0[%arg5, %arg7] : memref<13x7xf32>
            %5 = memref.load %arg1[%arg7, %arg6] : memref<7x11xf32>
            %6 = memref.load %arg2[%arg5, %arg6] : memref<13x11xf32>
            %7 = arith.mulf %4, %5 : f32
            %8 = arith.addf %6, %7 : f32
            memref.store %8, %arg2[%arg5, %arg6] : memref<13x11xf32>
          }
        }
      }
    }
  }
  scf.for %arg3 = %c0 to %c11 step %c4 {
    scf.for %arg4 = %c0 to %c7 step %c4 {
      %0 = arith.addi %arg3, %c4 : index
      %1 = arith.minsi %0, %c11 : index
      scf.for %arg5 = %arg3 to %1 step %c1 {
        %2 = arith.addi %arg4, %c4 : index
        %3 = arith.minsi %2, %c7 : index
        scf.for %arg6 = %arg4 to %3 step %c1 {
          %4 = memref.load %arg0[%c12, %arg6] : memref<13x7xf32>
          %5 = memref.load %arg1[%arg6, %arg5] : memref<7x11xf32>
          %6 = memref.load %arg2[%c12, %arg5] : memref<13x11xf32>
          %7 = arith.mulf %4, %5 : f32
          %8 = arith.addf %6, %7 : f32
          memref.store %8, %arg2[%c12, %arg5] : memref<13x11xf32>
        }
      }
    }
  }
  return
}

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%arg3]
  scf.for %arg6 = %c0 to %0 step %c4 {
    %1 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%arg4]
    scf.for %arg7 = %c0 to %1 step %c4 {
      %2 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%arg5]
      scf.for %arg8 = %c0 to %2 step %c4 {
        %3 = arith.addi %arg6, %c4 : index
        %4 = arith.minsi %3, %arg3 : index
        scf.for %arg9 = %arg6 to %4 step %c1 {
          %5 = arith.addi %arg7, %c4 : index
          %6 = arith.minsi %5, %arg4 : index
          scf.for %arg10 = %arg7 to %6 step %c1 {
            %7 = arith.addi %arg8, %c4 : index
            %8 = arith.minsi %7, %arg5 : index
            scf.for %arg11 = %arg8 to %8 step %c1 {
              %9 = memref.load %arg0[%arg9, %arg11] : memref<?x?xf32>
              %10 = memref.load %arg1[%arg11, %arg10] : memref<?x?xf32>
              %11 = memref.load %arg2[%arg9, %arg10] : memref<?x?xf32>
              %12 = arith.mulf %9, %10 : f32
              %13 = arith.addf %11, %12 : f32
              memref.store %13, %arg2[%arg9, %arg10] : memref<?x?xf32>
            }
          }
        }
      }
      scf.for %arg8 = %2 to %arg5 step %c4 {
        %3 = arith.addi %arg6, %c4 : index
        %4 = arith.minsi %3, %arg3 : index
        scf.for %arg9 = %arg6 to %4 step %c1 {
          %5 = arith.addi %arg7, %c4 : index
          %6 = arith.minsi %5, %arg4 : index
          scf.for %arg10 = %arg7 to %6 step %c1 {
            %7 = arith.addi %arg8, %c4 : index
            %8 = arith.minsi %7, %arg5 : index
            scf.for %arg11 = %arg8 to %8 step %c1 {
              %9 = memref.load %arg0[%arg9, %arg11] : memref<?x?xf32>
              %10 = memref.load %arg1[%arg11, %arg10] : memref<?x?xf32>
              %11 = memref.load %arg2[%arg9, %arg10] : memref<?x?xf32>
              %12 = arith.mulf %9, %10 : f32
              %13 = arith.addf %11, %12 : f32
              memref.store %13, %arg2[%arg9, %arg10] : memref<?x?xf32>
            }
          }
        }
      }
    }
    scf.for %arg7 = %1 to %arg4 step %c4 {
      scf.for %arg8 = %c0 to %arg5 step %c4 {
        %2 = arith.addi %arg6, %c4 : index
        %3 = arith.minsi %2, %arg3 : index
        scf.for %arg9 = %arg6 to %3 step %c1 {
          %4 = arith.addi %arg7, %c4 : index
          %5 = arith.minsi %4, %arg4 : index
          scf.for %arg10 = %arg7 to %5 step %c1 {
            %6 = arith.addi %arg8, %c4 : index
            %7 = arith.minsi %6, %arg5 : index
            scf.for %arg11 = %arg8 to %7 step %c1 {
              %8 = memref.load %arg0[%arg9, %arg11] : memref<?x?xf32>
              %9 = memref.load %arg1[%arg11, %arg10] : memref<?x?xf32>
              %10 = memref.load %arg2[%arg9, %arg10] : memref<?x?xf32>
              %11 = arith.mulf %8, %9 : f32
              %12 = arith.addf %10, %11 : f32
              memref.store %12, %arg2[%arg9, %arg10] : memref<?x?xf32>
            }
          }
        }
      }
    }
  }
  scf.for %arg6 = %0 to %arg3 step %c4 {
    scf.for %arg7 = %c0 to %arg4 step %c4 {
      scf.for %arg8 = %c0 to %arg5 step %c4 {
        %1 = arith.addi %arg6, %c4 : index
        %2 = arith.minsi %1, %arg3 : index
        scf.for %arg9 = %arg6 to %2 step %c1 {
          %3 = arith.addi %arg7, %c4 : index
          %4 = arith.minsi %3, %arg4 : index
          scf.for %arg10 = %arg7 to %4 step %c1 {
            %5 = arith.addi %arg8, %c4 : index
            %6 = arith.minsi %5, %arg5 : index
            scf.for %arg11 = %arg8 to %6 step %c1 {
              %7 = memref.load %arg0[%arg9, %arg11] : memref<?x?xf32>
              %8 = memref.load %arg1[%arg11, %arg10] : memref<?x?xf32>
              %9 = memref.load %arg2[%arg9, %arg10] : memref<?x?xf32>
              %10 = arith.mulf %7, %8 : f32
              %11 = arith.addf %9, %10 : f32
              memref.store %11, %arg2[%arg9, %arg10] : memref<?x?xf32>
            }
          }
        }
      }
    }
  }
  return
}

func.func @imperfect(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index, %arg4: index) {
  %c1 = arith.constant 1 : index
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%arg3]
  scf.for %arg5 = %c0 to %0 step %c4 {
    %1 = arith.addi %arg5, %c4 : index
    %2 = arith.minsi %1, %arg3 : index
    scf.for %arg6 = %arg5 to %2 step %c1 {
      memref.store %cst, %arg2[%arg6] : memref<?xf32>
      scf.for %arg7 = %c0 to %arg4 step %c1 {
        %5 = memref.load %arg0[%arg6, %arg7] : memref<?x?xf32>
        %6 = memref.load %arg1[%arg7] : memref<?xf32>
        %7 = memref.load %arg2[%arg6] : memref<?xf32>
        %8 = arith.mulf %5, %6 : f32
        %9 = arith.addf %7, %8 : f32
        memref.store %9, %arg2[%arg6] : memref<?xf32>
      }
      %3 = memref.load %arg2[%arg6] : memref<?xf32>
      %4 = arith.addf %3, %3 : f32
      memref.store %4, %arg2[%arg6] : memref<?xf32>
    }
  }
  scf.for %arg5 = %0 to %arg3 step %c4 {
    %1 = arith.addi %arg5, %c4 : index
    %2 = arith.minsi %1, %arg3 : index
    scf.for %arg6 = %arg5 to %2 step %c1 {
      memref.store %cst, %arg2[%arg6] : memref<?xf32>
      scf.for %arg7 = %c0 to %arg4 step %c1 {
        %5 = memref.load %arg0[%arg6, %arg7] : memref<?x?xf32>
        %6 = memref.load %arg1[%arg7] : memref<?xf32>
        %7 = memref.load %arg2[%arg6] : memref<?xf32>
        %8 = arith.mulf %5, %6 : f32
        %9 = arith.addf %7, %8 : f32
        memref.store %9, %arg2[%arg6] : memref<?xf32>
      }
      %3 = memref.load %arg2[%arg6] : memref<?xf32>
      %4 = arith.addf %3, %3 : f32
      memref.store %4, %arg2[%arg6] : memref<?xf32>
    }
  }
  return
}

func.func @substitution(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%arg3]
  scf.for %arg4 = %c0 to %0 step %c4 {
    %1 = arith.addi %arg4, %c4 : index
    %2 = arith.minsi %1, %arg3 : index
    scf.for %arg5 = %arg4 to %2 step %c1 {
      %3 = memref.load %arg1[%arg5] : memref<?xf32>
      memref.store %3, %arg2[%arg5] : memref<?xf32>
      scf.for %arg6 = %c0 to %arg5 step %c1 {
        %7 = memref.load %arg0[%arg5, %arg6] : memref<?x?xf32>
        %8 = memref.load %arg2[%arg6] : memref<?xf32>
        %9 = memref.load %arg2[%arg5] : memref<?xf32>
        %10 = arith.mulf %7, %8 : f32
        %11 = arith.subf %9, %10 : f32
        memref.store %11, %arg2[%arg5] : memref<?xf32>
      }
      %4 = memref.load %arg0[%arg5, %arg5] : memref<?x?xf32>
      %5 = memref.load %arg2[%arg5] : memref<?xf32>
      %6 = arith.divf %5, %4 : f32
      memref.store %6, %arg2[%arg5] : memref<?xf32>
    }
  }
  scf.for %arg4 = %0 to %arg3 step %c4 {
    %1 = arith.addi %arg4, %c4 : index
    %2 = arith.minsi %1, %arg3 : index
    scf.for %arg5 = %arg4 to %2 step %c1 {
      %3 = memref.load %arg1[%arg5] : memref<?xf32>
      memref.store %3, %arg2[%arg5] : memref<?xf32>
      scf.for %arg6 = %c0 to %arg5 step %c1 {
        %7 = memref.load %arg0[%arg5, %arg6] : memref<?x?xf32>
        %8 = memref.load %arg2[%arg6] : memref<?xf32>
        %9 = memref.load %arg2[%arg5] : memref<?xf32>
        %10 = arith.mulf %7, %8 : f32
        %11 = arith.subf %9, %10 : f32
        memref.store %11, %arg2[%arg5] : memref<?xf32>
      }
      %4 = memref.load %arg0[%arg5, %arg5] : memref<?x?xf32>
      %5 = memref.load %arg2[%arg5] : memref<?xf32>
      %6 = arith.divf %5, %4 : f32
      memref.store %6, %arg2[%arg5] : memref<?xf32>
    }
  }
  return
}

func.func @guarded(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index) {
  %c-1 = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%arg2]
  scf.for %arg3 = %c0 to %0 step %c4 {
    %1 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%arg2]
    scf.for %arg4 = %c0 to %1 step %c4 {
      %2 = arith.addi %arg3, %c4 : index
      %3 = arith.minsi %2, %arg2 : index
      scf.for %arg5 = %arg3 to %3 step %c1 {
        %4 = arith.addi %arg4, %c4 : index
        %5 = arith.minsi %4, %arg2 : index
        scf.for %arg6 = %arg4 to %5 step %c1 {
          %6 = memref.load %arg0[%arg5, %arg6] : memref<?x?xf32>
          %7 = arith.subi %arg5, %arg6 : index
          %8 = arith.addi %7, %c-1 : index
          %9 = arith.cmpi sge, %8, %c0 : index
          scf.if %9 {
            %10 = memref.load %arg1[%arg5, %arg6] : memref<?x?xf32>
            %11 = arith.addf %6, %10 : f32
            memref.store %11, %arg1[%arg5, %arg6] : memref<?x?xf32>
          } else {
            memref.store %6, %arg1[%arg5, %arg6] : memref<?x?xf32>
          }
        }
      }
    }
    scf.for %arg4 = %1 to %arg2 step %c4 {
      %2 = arith.addi %arg3, %c4 : index
      %3 = arith.minsi %2, %arg2 : index
      scf.for %arg5 = %arg3 to %3 step %c1 {
        %4 = arith.addi %arg4, %c4 : index
        %5 = arith.minsi %4, %arg2 : index
        scf.for %arg6 = %arg4 to %5 step %c1 {
          %6 = memref.load %arg0[%arg5, %arg6] : memref<?x?xf32>
          %7 = arith.subi %arg5, %arg6 : index
          %8 = arith.addi %7, %c-1 : index
          %9 = arith.cmpi sge, %8, %c0 : index
          scf.if %9 {
            %10 = memref.load %arg1[%arg5, %arg6] : memref<?x?xf32>
            %11 = arith.addf %6, %10 : f32
            memref.store %11, %arg1[%arg5, %arg6] : memref<?x?xf32>
          } else {
            memref.store %6, %arg1[%arg5, %arg6] : memref<?x?xf32>
          }
        }
      }
    }
  }
  scf.for %arg3 = %0 to %arg2 step %c4 {
    scf.for %arg4 = %c0 to %arg2 step %c4 {
      %1 = arith.addi %arg3, %c4 : index
      %2 = arith.minsi %1, %arg2 : index
      scf.for %arg5 = %arg3 to %2 step %c1 {
        %3 = arith.addi %arg4, %c4 : index
        %4 = arith.minsi %3, %arg2 : index
        scf.for %arg6 = %arg4 to %4 step %c1 {
          %5 = memref.load %arg0[%arg5, %arg6] : memref<?x?xf32>
          %6 = arith.subi %arg5, %arg6 : index
          %7 = arith.addi %6, %c-1 : index
          %8 = arith.cmpi sge, %7, %c0 : index
          scf.if %8 {
            %9 = memref.load %arg1[%arg5, %arg6] : memref<?x?xf32>
            %10 = arith.addf %5, %9 : f32
            memref.store %10, %arg1[%arg5, %arg6] : memref<?x?xf32>
          } else {
            memref.store %5, %arg1[%arg5, %arg6] : memref<?x?xf32>
          }
        }
      }
    }
  }
  return
}

func.func @local(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>, %arg2: index) {
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%arg2]
  scf.for %arg3 = %c0 to %0 step %c4 {
    %1 = arith.addi %arg3, %c4 : index
    %2 = arith.minsi %1, %arg2 : index
    scf.for %arg4 = %arg3 to %2 step %c1 {
      %alloc = memref.alloc() : memref<16xf32>
      scf.for %arg5 = %c0 to %c16 step %c1 {
        %3 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
        %4 = arith.mulf %3, %3 : f32
        memref.store %4, %alloc[%arg5] : memref<16xf32>
      }
      scf.for %arg5 = %c0 to %c16 step %c1 {
        %3 = arith.subi %c15, %arg5 : index
        %4 = memref.load %alloc[%3] : memref<16xf32>
        %5 = memref.load %arg1[%arg4] : memref<?xf32>
        %6 = arith.addf %4, %5 : f32
        memref.store %6, %arg1[%arg4] : memref<?xf32>
      }
      memref.dealloc %alloc : memref<16xf32>
    }
  }
  scf.for %arg3 = %0 to %arg2 step %c4 {
    %1 = arith.addi %arg3, %c4 : index
    %2 = arith.minsi %1, %arg2 : index
    scf.for %arg4 = %arg3 to %2 step %c1 {
      %alloc = memref.alloc() : memref<16xf32>
      scf.for %arg5 = %c0 to %c16 step %c1 {
        %3 = memref.load %arg0[%arg4, %arg5] : memref<?x?xf32>
        %4 = arith.mulf %3, %3 : f32
        memref.store %4, %alloc[%arg5] : memref<16xf32>
      }
      scf.for %arg5 = %c0 to %c16 step %c1 {
        %3 = arith.subi %c15, %arg5 : index
        %4 = memref.load %alloc[%3] : memref<16xf32>
        %5 = memref.load %arg1[%arg4] : memref<?xf32>
        %6 = arith.addf %4, %5 : f32
        memref.store %6, %arg1[%arg4] : memref<?xf32>
      }
      memref.dealloc %alloc : memref<16xf32>
    }
  }
  return
}
