// mlir-opt shapes.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=4},lower-affine,canonicalize,scf-for-loop-peeling,canonicalize))', then changed by hand
// Verdict: not equivalent
// Changed: @symbolic: the main loop takes the partial iteration too
// Changed: @imperfect: the partial iteration is left out
// Changed: @stencil: as the passes make it: bounds cross
// RUN: %exits 1 hecv check %S/shapes.src.mlir %s --func symbolic --func imperfect --func stencil | FileCheck %s
// CHECK: {{^}}not equivalent: @symbolic
// CHECK: {{^}}not equivalent: @imperfect
// CHECK: {{^}}not equivalent: @stencil

func.func @symbolic(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>, %arg3: index, %arg4: index, %arg5: index) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = affine.apply affine_map<()[s0] -> ((s0 ceildiv 4) * 4)>()[%arg3]
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
  scf.for %arg5 = %0 to %0 step %c4 {
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

func.func @stencil(%arg0: memref<?xf32>, %arg1: index, %arg2: index) {
  %c-1 = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = affine.apply affine_map<()[s0] -> ((s0 floordiv 4) * 4)>()[%arg1]
  scf.for %arg3 = %c0 to %0 step %c4 {
    %1 = arith.addi %arg2, %c-1 : index
    %2 = affine.apply affine_map<()[s0] -> (((s0 - 1) floordiv 4) * 4 + 1)>()[%1]
    scf.for %arg4 = %c1 to %2 step %c4 {
      %3 = arith.addi %arg3, %c4 : index
      %4 = arith.minsi %3, %arg1 : index
      scf.for %arg5 = %arg3 to %4 step %c1 {
        %5 = arith.addi %arg4, %c4 : index
        %6 = arith.addi %arg2, %c-1 : index
        %7 = arith.minsi %5, %6 : index
        scf.for %arg6 = %arg4 to %7 step %c1 {
          %8 = arith.addi %arg6, %c-1 : index
          %9 = memref.load %arg0[%8] : memref<?xf32>
          %10 = memref.load %arg0[%arg6] : memref<?xf32>
          %11 = arith.addi %arg6, %c1 : index
          %12 = memref.load %arg0[%11] : memref<?xf32>
          %13 = arith.addf %9, %10 : f32
          %14 = arith.addf %13, %12 : f32
          memref.store %14, %arg0[%arg6] : memref<?xf32>
        }
      }
    }
    scf.for %arg4 = %2 to %1 step %c4 {
      %3 = arith.addi %arg3, %c4 : index
      %4 = arith.minsi %3, %arg1 : index
      scf.for %arg5 = %arg3 to %4 step %c1 {
        %5 = arith.addi %arg4, %c4 : index
        %6 = arith.addi %arg2, %c-1 : index
        %7 = arith.minsi %5, %6 : index
        scf.for %arg6 = %arg4 to %7 step %c1 {
          %8 = arith.addi %arg6, %c-1 : index
          %9 = memref.load %arg0[%8] : memref<?xf32>
          %10 = memref.load %arg0[%arg6] : memref<?xf32>
          %11 = arith.addi %arg6, %c1 : index
          %12 = memref.load %arg0[%11] : memref<?xf32>
          %13 = arith.addf %9, %10 : f32
          %14 = arith.addf %13, %12 : f32
          memref.store %14, %arg0[%arg6] : memref<?xf32>
        }
      }
    }
  }
  scf.for %arg3 = %0 to %arg1 step %c4 {
    %1 = arith.addi %arg2, %c-1 : index
    %2 = affine.apply affine_map<()[s0] -> (((s0 - 1) floordiv 4) * 4 + 1)>()[%1]
    scf.for %arg4 = %c1 to %2 step %c4 {
      %3 = arith.addi %arg3, %c4 : index
      %4 = arith.minsi %3, %arg1 : index
      scf.for %arg5 = %arg3 to %4 step %c1 {
        %5 = arith.addi %arg4, %c4 : index
        %6 = arith.addi %arg2, %c-1 : index
        %7 = arith.minsi %5, %6 : index
        scf.for %arg6 = %arg4 to %7 step %c1 {
          %8 = arith.addi %arg6, %c-1 : index
          %9 = memref.load %arg0[%8] : memref<?xf32>
          %10 = memref.load %arg0[%arg6] : memref<?xf32>
          %11 = arith.addi %arg6, %c1 : index
          %12 = memref.load %arg0[%11] : memref<?xf32>
          %13 = arith.addf %9, %10 : f32
          %14 = arith.addf %13, %12 : f32
          memref.store %14, %arg0[%arg6] : memref<?xf32>
        }
      }
    }
    scf.for %arg4 = %2 to %1 step %c4 {
      %3 = arith.addi %arg3, %c4 : index
      %4 = arith.minsi %3, %arg1 : index
      scf.for %arg5 = %arg3 to %4 step %c1 {
        %5 = arith.addi %arg4, %c4 : index
        %6 = arith.addi %arg2, %c-1 : index
        %7 = arith.minsi %5, %6 : index
        scf.for %arg6 = %arg4 to %7 step %c1 {
          %8 = arith.addi %arg6, %c-1 : index
          %9 = memref.load %arg0[%8] : memref<?xf32>
          %10 = memref.load %arg0[%arg6] : memref<?xf32>
          %11 = arith.addi %arg6, %c1 : index
          %12 = memref.load %arg0[%11] : memref<?xf32>
          %13 = arith.addf %9, %10 : f32
          %14 = arith.addf %13, %12 : f32
          memref.store %14, %arg0[%arg6] : memref<?xf32>
        }
      }
    }
  }
  return
}
