// mlir-opt reduction.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-size=8},lower-affine))'
// Verdict: not equivalent
// Changed: nothing; the pass takes the sum for one that may be reordered.
// RUN: %exits 1 hecv check %S/reduction.src.mlir %s --assume nonneg | FileCheck %s
// RUN: %exits 0 hecv check %s %s --assume nonneg | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @sum
// SELF: {{^}}equivalent: @sum

module {
  func.func @sum(%arg0: memref<?x?x?x?xf64>, %arg1: memref<?xf64>, %arg2: index, %arg3: index, %arg4: index, %arg5: index) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    scf.for %arg6 = %c0 to %arg2 step %c8 {
      %c0_0 = arith.constant 0 : index
      %c8_1 = arith.constant 8 : index
      scf.for %arg7 = %c0_0 to %arg3 step %c8_1 {
        %c0_2 = arith.constant 0 : index
        %c8_3 = arith.constant 8 : index
        scf.for %arg8 = %c0_2 to %arg4 step %c8_3 {
          %c0_4 = arith.constant 0 : index
          %c8_5 = arith.constant 8 : index
          scf.for %arg9 = %c0_4 to %arg5 step %c8_5 {
            %c8_6 = arith.constant 8 : index
            %0 = arith.addi %arg6, %c8_6 : index
            %1 = arith.minsi %0, %arg2 : index
            %c1 = arith.constant 1 : index
            scf.for %arg10 = %arg6 to %1 step %c1 {
              %c8_7 = arith.constant 8 : index
              %2 = arith.addi %arg7, %c8_7 : index
              %3 = arith.minsi %2, %arg3 : index
              %c1_8 = arith.constant 1 : index
              scf.for %arg11 = %arg7 to %3 step %c1_8 {
                %c8_9 = arith.constant 8 : index
                %4 = arith.addi %arg8, %c8_9 : index
                %5 = arith.minsi %4, %arg4 : index
                %c1_10 = arith.constant 1 : index
                scf.for %arg12 = %arg8 to %5 step %c1_10 {
                  %c8_11 = arith.constant 8 : index
                  %6 = arith.addi %arg9, %c8_11 : index
                  %7 = arith.minsi %6, %arg5 : index
                  %c1_12 = arith.constant 1 : index
                  scf.for %arg13 = %arg9 to %7 step %c1_12 {
                    %8 = memref.load %arg0[%arg10, %arg11, %arg12, %arg13] : memref<?x?x?x?xf64>
                    %9 = memref.load %arg1[%arg10] : memref<?xf64>
                    %10 = arith.addf %9, %8 : f64
                    memref.store %10, %arg1[%arg10] : memref<?xf64>
                  }
                }
              }
            }
          }
        }
      }
    }
    return
  }
}

