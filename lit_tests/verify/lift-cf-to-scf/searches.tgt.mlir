// mlir-opt searches.src.mlir --pass-pipeline='builtin.module(func.func(lift-cf-to-scf))'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/searches.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s
// CHECK: {{^}}equivalent: @find
// CHECK: {{^}}equivalent: @sumuntil
// CHECK: {{^}}equivalent: @three

module {
  func.func @find(%arg0: memref<?xi32>, %arg1: i32, %arg2: index) -> index {
    %0 = ub.poison : i32
    %c2_i32 = arith.constant 2 : i32
    %1 = ub.poison : index
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c-1 = arith.constant -1 : index
    %2:3 = scf.while (%arg3 = %c0, %arg4 = %1, %arg5 = %0) : (index, index, i32) -> (index, index, i32) {
      %5 = arith.cmpi slt, %arg3, %arg2 : index
      %6:3 = scf.if %5 -> (index, i32, i32) {
        %8 = memref.load %arg0[%arg3] : memref<?xi32>
        %9 = arith.cmpi eq, %8, %arg1 : i32
        %10 = arith.addi %arg3, %c1 : index
        %11:3 = scf.if %9 -> (index, i32, i32) {
          scf.yield %1, %c1_i32, %c0_i32 : index, i32, i32
        } else {
          scf.yield %10, %c0_i32, %c1_i32 : index, i32, i32
        }
        scf.yield %11#0, %11#1, %11#2 : index, i32, i32
      } else {
        scf.yield %1, %c2_i32, %c0_i32 : index, i32, i32
      }
      %7 = arith.trunci %6#2 : i32 to i1
      scf.condition(%7) %6#0, %arg3, %6#1 : index, index, i32
    } do {
    ^bb0(%arg3: index, %arg4: index, %arg5: i32):
      scf.yield %arg3, %arg4, %arg5 : index, index, i32
    }
    %3 = arith.index_castui %2#2 : i32 to index
    %4 = scf.index_switch %3 -> index 
    case 1 {
      scf.yield %2#1 : index
    }
    default {
      scf.yield %c-1 : index
    }
    return %4 : index
  }
  func.func @sumuntil(%arg0: memref<?xi32>, %arg1: memref<?xi32>, %arg2: i32, %arg3: index) -> (index, i32) {
    %0 = ub.poison : i32
    %1 = ub.poison : index
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_i32_0 = arith.constant 0 : i32
    %2:4 = scf.while (%arg4 = %c0, %arg5 = %c0_i32_0, %arg6 = %1, %arg7 = %0) : (index, i32, index, i32) -> (index, i32, index, i32) {
      %3 = arith.cmpi slt, %arg4, %arg3 : index
      %4:6 = scf.if %3 -> (index, i32, index, i32, i32, i32) {
        %6 = memref.load %arg0[%arg4] : memref<?xi32>
        %7 = arith.addi %arg5, %6 : i32
        memref.store %7, %arg1[%arg4] : memref<?xi32>
        %8 = arith.cmpi sgt, %7, %arg2 : i32
        %9 = arith.addi %arg4, %c1 : index
        %10:6 = scf.if %8 -> (index, i32, index, i32, i32, i32) {
          scf.yield %1, %0, %arg4, %7, %c1_i32, %c0_i32 : index, i32, index, i32, i32, i32
        } else {
          scf.yield %9, %7, %1, %0, %c0_i32, %c1_i32 : index, i32, index, i32, i32, i32
        }
        scf.yield %10#0, %10#1, %10#2, %10#3, %10#4, %10#5 : index, i32, index, i32, i32, i32
      } else {
        scf.yield %1, %0, %arg4, %arg5, %c1_i32, %c0_i32 : index, i32, index, i32, i32, i32
      }
      %5 = arith.trunci %4#5 : i32 to i1
      scf.condition(%5) %4#0, %4#1, %4#2, %4#3 : index, i32, index, i32
    } do {
    ^bb0(%arg4: index, %arg5: i32, %arg6: index, %arg7: i32):
      scf.yield %arg4, %arg5, %arg6, %arg7 : index, i32, index, i32
    }
    return %2#2, %2#3 : index, i32
  }
  func.func @three(%arg0: memref<?xi32>, %arg1: i32, %arg2: i32, %arg3: index) -> i32 {
    %c2_i32 = arith.constant 2 : i32
    %0 = ub.poison : index
    %1 = ub.poison : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_i32_0 = arith.constant 0 : i32
    %c1_i32_1 = arith.constant 1 : i32
    %c2_i32_2 = arith.constant 2 : i32
    %2:4 = scf.while (%arg4 = %c0, %arg5 = %1, %arg6 = %1, %arg7 = %1) : (index, i32, i32, i32) -> (index, i32, i32, i32) {
      %5 = arith.cmpi slt, %arg4, %arg3 : index
      %6:5 = scf.if %5 -> (index, i32, i32, i32, i32) {
        %8 = memref.load %arg0[%arg4] : memref<?xi32>
        %9 = arith.cmpi eq, %8, %arg1 : i32
        %10:5 = scf.if %9 -> (index, i32, i32, i32, i32) {
          scf.yield %0, %c1_i32_1, %c2_i32, %c0_i32, %8 : index, i32, i32, i32, i32
        } else {
          %11 = arith.cmpi eq, %8, %arg2 : i32
          %12 = arith.addi %arg4, %c1 : index
          %13:5 = scf.if %11 -> (index, i32, i32, i32, i32) {
            scf.yield %0, %1, %c1_i32, %c0_i32, %8 : index, i32, i32, i32, i32
          } else {
            scf.yield %12, %1, %c0_i32, %c1_i32, %8 : index, i32, i32, i32, i32
          }
          scf.yield %13#0, %13#1, %13#2, %13#3, %13#4 : index, i32, i32, i32, i32
        }
        scf.yield %10#0, %10#1, %10#2, %10#3, %10#4 : index, i32, i32, i32, i32
      } else {
        scf.yield %0, %c0_i32_0, %c2_i32, %c0_i32, %1 : index, i32, i32, i32, i32
      }
      %7 = arith.trunci %6#3 : i32 to i1
      scf.condition(%7) %6#0, %6#4, %6#1, %6#2 : index, i32, i32, i32
    } do {
    ^bb0(%arg4: index, %arg5: i32, %arg6: i32, %arg7: i32):
      scf.yield %arg4, %arg5, %arg6, %arg7 : index, i32, i32, i32
    }
    %3 = arith.index_castui %2#3 : i32 to index
    %4 = scf.index_switch %3 -> i32 
    case 1 {
      %5 = arith.addi %2#1, %c2_i32_2 : i32
      scf.yield %5 : i32
    }
    default {
      scf.yield %2#2 : i32
    }
    return %4 : i32
  }
}

