// mlir-opt whiles.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-fusion,affine-loop-tile{tile-size=8}),lower-affine,convert-scf-to-cf,canonicalize,lift-cf-to-scf)'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/whiles.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %S/whiles.src.mlir %S/whiles.src.mlir | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @gcd
// SELF: {{^}}equivalent: @gcd
// CHECK: {{^}}equivalent: @root
// SELF: {{^}}equivalent: @root
// CHECK: {{^}}equivalent: @find
// SELF: {{^}}equivalent: @find
// CHECK: {{^}}equivalent: @jacobi
// SELF: {{^}}equivalent: @jacobi
// CHECK: {{^}}equivalent: @cg
// SELF: {{^}}equivalent: @cg

module {
  func.func @gcd(%arg0: i32, %arg1: i32) -> i32 {
    %0 = ub.poison : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0_i32_0 = arith.constant 0 : i32
    %1:3 = scf.while (%arg2 = %arg0, %arg3 = %arg1, %arg4 = %0) : (i32, i32, i32) -> (i32, i32, i32) {
      %2 = arith.cmpi ne, %arg3, %c0_i32_0 : i32
      %3:4 = scf.if %2 -> (i32, i32, i32, i32) {
        %5 = arith.remui %arg2, %arg3 : i32
        scf.yield %arg3, %5, %c0_i32, %c1_i32 : i32, i32, i32, i32
      } else {
        scf.yield %0, %0, %c1_i32, %c0_i32 : i32, i32, i32, i32
      }
      %4 = arith.trunci %3#3 : i32 to i1
      scf.condition(%4) %3#0, %3#1, %arg2 : i32, i32, i32
    } do {
    ^bb0(%arg2: i32, %arg3: i32, %arg4: i32):
      scf.yield %arg2, %arg3, %arg4 : i32, i32, i32
    }
    return %1#2 : i32
  }
  func.func @root(%arg0: f64, %arg1: f64, %arg2: memref<1xf64>) -> f64 {
    %0 = ub.poison : f64
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 5.000000e-01 : f64
    %c0 = arith.constant 0 : index
    %1:2 = scf.while (%arg3 = %arg0, %arg4 = %0) : (f64, f64) -> (f64, f64) {
      %2 = arith.mulf %arg3, %arg3 : f64
      %3 = arith.subf %2, %arg0 : f64
      %4 = arith.cmpf ogt, %3, %arg1 : f64
      %5:3 = scf.if %4 -> (f64, i32, i32) {
        %7 = arith.divf %arg0, %arg3 : f64
        %8 = arith.addf %arg3, %7 : f64
        %9 = arith.mulf %8, %cst : f64
        memref.store %9, %arg2[%c0] : memref<1xf64>
        scf.yield %9, %c0_i32, %c1_i32 : f64, i32, i32
      } else {
        scf.yield %0, %c1_i32, %c0_i32 : f64, i32, i32
      }
      %6 = arith.trunci %5#2 : i32 to i1
      scf.condition(%6) %5#0, %arg3 : f64, f64
    } do {
    ^bb0(%arg3: f64, %arg4: f64):
      scf.yield %arg3, %arg4 : f64, f64
    }
    return %1#1 : f64
  }
  func.func @find(%arg0: memref<?xi32>, %arg1: index) -> index {
    %0 = ub.poison : index
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_i32_0 = arith.constant 0 : i32
    %false = arith.constant false
    %1:2 = scf.while (%arg2 = %c0, %arg3 = %0) : (index, index) -> (index, index) {
      %2 = arith.cmpi slt, %arg2, %arg1 : index
      %3 = scf.if %2 -> (i1) {
        %6 = memref.load %arg0[%arg2] : memref<?xi32>
        %7 = arith.cmpi eq, %6, %c0_i32_0 : i32
        scf.yield %7 : i1
      } else {
        scf.yield %false : i1
      }
      %4:3 = scf.if %3 -> (index, i32, i32) {
        %6 = arith.addi %arg2, %c1 : index
        scf.yield %6, %c0_i32, %c1_i32 : index, i32, i32
      } else {
        scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
      }
      %5 = arith.trunci %4#2 : i32 to i1
      scf.condition(%5) %4#0, %arg2 : index, index
    } do {
    ^bb0(%arg2: index, %arg3: index):
      scf.yield %arg2, %arg3 : index, index
    }
    return %1#1 : index
  }
  func.func @jacobi(%arg0: memref<?xf64>, %arg1: f64) -> i32 {
    %0 = ub.poison : index
    %1 = ub.poison : i32
    %2 = ub.poison : f64
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c-1 = arith.constant -1 : index
    %c1 = arith.constant 1 : index
    %c1_i32_0 = arith.constant 1 : i32
    %c0_i32_1 = arith.constant 0 : i32
    %cst = arith.constant 3.330000e-01 : f64
    %cst_2 = arith.constant 0.000000e+00 : f64
    %cst_3 = arith.constant 1.000000e+10 : f64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xf64>
    %alloc = memref.alloc(%dim) : memref<?xf64>
    %3:3 = scf.while (%arg2 = %cst_3, %arg3 = %c0_i32_1, %arg4 = %1) : (f64, i32, i32) -> (f64, i32, i32) {
      %4 = arith.cmpf ogt, %arg2, %arg1 : f64
      %5:4 = scf.if %4 -> (f64, i32, i32, i32) {
        %7 = arith.addi %dim, %c-1 : index
        %8 = scf.while (%arg5 = %c1) : (index) -> index {
          %12 = arith.cmpi slt, %arg5, %7 : index
          %13:3 = scf.if %12 -> (index, i32, i32) {
            %15 = arith.addi %arg5, %c-1 : index
            %16 = memref.load %arg0[%15] : memref<?xf64>
            %17 = memref.load %arg0[%arg5] : memref<?xf64>
            %18 = arith.addi %arg5, %c1 : index
            %19 = memref.load %arg0[%18] : memref<?xf64>
            %20 = arith.addf %16, %17 : f64
            %21 = arith.addf %20, %19 : f64
            %22 = arith.mulf %21, %cst : f64
            memref.store %22, %alloc[%arg5] : memref<?xf64>
            %23 = arith.addi %arg5, %c1 : index
            scf.yield %23, %c0_i32, %c1_i32 : index, i32, i32
          } else {
            scf.yield %0, %c1_i32, %c0_i32 : index, i32, i32
          }
          %14 = arith.trunci %13#2 : i32 to i1
          scf.condition(%14) %13#0 : index
        } do {
        ^bb0(%arg5: index):
          scf.yield %arg5 : index
        }
        %9 = arith.addi %dim, %c-1 : index
        %10:3 = scf.while (%arg5 = %c1, %arg6 = %cst_2, %arg7 = %2) : (index, f64, f64) -> (index, f64, f64) {
          %12 = arith.cmpi slt, %arg5, %9 : index
          %13:4 = scf.if %12 -> (index, f64, i32, i32) {
            %15 = memref.load %arg0[%arg5] : memref<?xf64>
            %16 = memref.load %alloc[%arg5] : memref<?xf64>
            memref.store %16, %arg0[%arg5] : memref<?xf64>
            %17 = arith.subf %15, %16 : f64
            %18 = math.absf %17 : f64
            %19 = arith.maximumf %arg6, %18 : f64
            %20 = arith.addi %arg5, %c1 : index
            scf.yield %20, %19, %c0_i32, %c1_i32 : index, f64, i32, i32
          } else {
            scf.yield %0, %2, %c1_i32, %c0_i32 : index, f64, i32, i32
          }
          %14 = arith.trunci %13#3 : i32 to i1
          scf.condition(%14) %13#0, %13#1, %arg6 : index, f64, f64
        } do {
        ^bb0(%arg5: index, %arg6: f64, %arg7: f64):
          scf.yield %arg5, %arg6, %arg7 : index, f64, f64
        }
        %11 = arith.addi %arg3, %c1_i32_0 : i32
        scf.yield %10#2, %11, %c0_i32, %c1_i32 : f64, i32, i32, i32
      } else {
        scf.yield %2, %1, %c1_i32, %c0_i32 : f64, i32, i32, i32
      }
      %6 = arith.trunci %5#3 : i32 to i1
      scf.condition(%6) %5#0, %5#1, %arg3 : f64, i32, i32
    } do {
    ^bb0(%arg2: f64, %arg3: i32, %arg4: i32):
      scf.yield %arg2, %arg3, %arg4 : f64, i32, i32
    }
    memref.dealloc %alloc : memref<?xf64>
    return %3#2 : i32
  }
  func.func @cg(%arg0: memref<?x?xf64>, %arg1: memref<?xf64>, %arg2: memref<?xf64>, %arg3: memref<?xf64>, %arg4: memref<?xf64>, %arg5: memref<?xf64>, %arg6: f64) {
    %0 = ub.poison : i32
    %1 = ub.poison : index
    %2 = ub.poison : f64
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf64>
    %3:3 = scf.while (%arg7 = %c0, %arg8 = %cst, %arg9 = %2) : (index, f64, f64) -> (index, f64, f64) {
      %5 = arith.cmpi slt, %arg7, %dim : index
      %6:5 = scf.if %5 -> (index, f64, f64, i32, i32) {
        %8 = memref.load %arg1[%arg7] : memref<?xf64>
        memref.store %cst, %arg2[%arg7] : memref<?xf64>
        memref.store %8, %arg3[%arg7] : memref<?xf64>
        memref.store %8, %arg4[%arg7] : memref<?xf64>
        %9 = arith.mulf %8, %8 : f64
        %10 = arith.addf %arg8, %9 : f64
        %11 = arith.addi %arg7, %c1 : index
        scf.yield %11, %10, %2, %c0_i32, %c1_i32 : index, f64, f64, i32, i32
      } else {
        scf.yield %1, %2, %arg8, %c1_i32, %c0_i32 : index, f64, f64, i32, i32
      }
      %7 = arith.trunci %6#4 : i32 to i1
      scf.condition(%7) %6#0, %6#1, %6#2 : index, f64, f64
    } do {
    ^bb0(%arg7: index, %arg8: f64, %arg9: f64):
      scf.yield %arg7, %arg8, %arg9 : index, f64, f64
    }
    %4 = scf.while (%arg7 = %3#2) : (f64) -> f64 {
      %5 = arith.cmpf ogt, %arg7, %arg6 : f64
      %6:3 = scf.if %5 -> (f64, i32, i32) {
        %8:4 = scf.while (%arg8 = %c0, %arg9 = %1, %arg10 = %2, %arg11 = %2) : (index, index, f64, f64) -> (index, index, f64, f64) {
          %14 = arith.cmpi slt, %arg8, %dim : index
          %15:6 = scf.if %14 -> (index, index, f64, f64, i32, i32) {
            memref.store %cst, %arg5[%arg8] : memref<?xf64>
            %17 = scf.while (%arg12 = %c0) : (index) -> index {
              %19 = arith.cmpi slt, %arg12, %dim : index
              %20:3 = scf.if %19 -> (index, i32, i32) {
                %22 = memref.load %arg0[%arg8, %arg12] : memref<?x?xf64>
                %23 = memref.load %arg4[%arg12] : memref<?xf64>
                %24 = arith.mulf %22, %23 : f64
                %25 = memref.load %arg5[%arg8] : memref<?xf64>
                %26 = arith.addf %25, %24 : f64
                memref.store %26, %arg5[%arg8] : memref<?xf64>
                %27 = arith.addi %arg12, %c1 : index
                scf.yield %27, %c0_i32, %c1_i32 : index, i32, i32
              } else {
                scf.yield %1, %c1_i32, %c0_i32 : index, i32, i32
              }
              %21 = arith.trunci %20#2 : i32 to i1
              scf.condition(%21) %20#0 : index
            } do {
            ^bb0(%arg12: index):
              scf.yield %arg12 : index
            }
            %18 = arith.addi %arg8, %c1 : index
            scf.yield %18, %1, %2, %2, %c0_i32, %c1_i32 : index, index, f64, f64, i32, i32
          } else {
            scf.yield %1, %c0, %cst, %2, %c1_i32, %c0_i32 : index, index, f64, f64, i32, i32
          }
          %16 = arith.trunci %15#5 : i32 to i1
          scf.condition(%16) %15#0, %15#1, %15#2, %15#3 : index, index, f64, f64
        } do {
        ^bb0(%arg8: index, %arg9: index, %arg10: f64, %arg11: f64):
          scf.yield %arg8, %arg9, %arg10, %arg11 : index, index, f64, f64
        }
        %9:3 = scf.while (%arg8 = %8#1, %arg9 = %8#2, %arg10 = %8#3) : (index, f64, f64) -> (index, f64, f64) {
          %14 = arith.cmpi slt, %arg8, %dim : index
          %15:4 = scf.if %14 -> (index, f64, i32, i32) {
            %17 = memref.load %arg4[%arg8] : memref<?xf64>
            %18 = memref.load %arg5[%arg8] : memref<?xf64>
            %19 = arith.mulf %17, %18 : f64
            %20 = arith.addf %arg9, %19 : f64
            %21 = arith.addi %arg8, %c1 : index
            scf.yield %21, %20, %c0_i32, %c1_i32 : index, f64, i32, i32
          } else {
            scf.yield %1, %2, %c1_i32, %c0_i32 : index, f64, i32, i32
          }
          %16 = arith.trunci %15#3 : i32 to i1
          scf.condition(%16) %15#0, %15#1, %arg9 : index, f64, f64
        } do {
        ^bb0(%arg8: index, %arg9: f64, %arg10: f64):
          scf.yield %arg8, %arg9, %arg10 : index, f64, f64
        }
        %10 = arith.divf %arg7, %9#2 : f64
        %11:3 = scf.while (%arg8 = %c0, %arg9 = %cst, %arg10 = %2) : (index, f64, f64) -> (index, f64, f64) {
          %14 = arith.cmpi slt, %arg8, %dim : index
          %15:4 = scf.if %14 -> (index, f64, i32, i32) {
            %17 = memref.load %arg2[%arg8] : memref<?xf64>
            %18 = memref.load %arg4[%arg8] : memref<?xf64>
            %19 = arith.mulf %10, %18 : f64
            %20 = arith.addf %17, %19 : f64
            memref.store %20, %arg2[%arg8] : memref<?xf64>
            %21 = memref.load %arg3[%arg8] : memref<?xf64>
            %22 = memref.load %arg5[%arg8] : memref<?xf64>
            %23 = arith.mulf %10, %22 : f64
            %24 = arith.subf %21, %23 : f64
            memref.store %24, %arg3[%arg8] : memref<?xf64>
            %25 = arith.mulf %24, %24 : f64
            %26 = arith.addf %arg9, %25 : f64
            %27 = arith.addi %arg8, %c1 : index
            scf.yield %27, %26, %c0_i32, %c1_i32 : index, f64, i32, i32
          } else {
            scf.yield %1, %2, %c1_i32, %c0_i32 : index, f64, i32, i32
          }
          %16 = arith.trunci %15#3 : i32 to i1
          scf.condition(%16) %15#0, %15#1, %arg9 : index, f64, f64
        } do {
        ^bb0(%arg8: index, %arg9: f64, %arg10: f64):
          scf.yield %arg8, %arg9, %arg10 : index, f64, f64
        }
        %12 = arith.divf %11#2, %arg7 : f64
        %13:4 = scf.while (%arg8 = %c0, %arg9 = %2, %arg10 = %0, %arg11 = %0) : (index, f64, i32, i32) -> (index, f64, i32, i32) {
          %14 = arith.cmpi slt, %arg8, %dim : index
          %15:6 = scf.if %14 -> (index, f64, i32, i32, i32, i32) {
            %17 = memref.load %arg3[%arg8] : memref<?xf64>
            %18 = memref.load %arg4[%arg8] : memref<?xf64>
            %19 = arith.mulf %12, %18 : f64
            %20 = arith.addf %17, %19 : f64
            memref.store %20, %arg4[%arg8] : memref<?xf64>
            %21 = arith.addi %arg8, %c1 : index
            scf.yield %21, %2, %0, %0, %c0_i32, %c1_i32 : index, f64, i32, i32, i32, i32
          } else {
            scf.yield %1, %11#2, %c0_i32, %c1_i32, %c1_i32, %c0_i32 : index, f64, i32, i32, i32, i32
          }
          %16 = arith.trunci %15#5 : i32 to i1
          scf.condition(%16) %15#0, %15#1, %15#2, %15#3 : index, f64, i32, i32
        } do {
        ^bb0(%arg8: index, %arg9: f64, %arg10: i32, %arg11: i32):
          scf.yield %arg8, %arg9, %arg10, %arg11 : index, f64, i32, i32
        }
        scf.yield %13#1, %13#2, %13#3 : f64, i32, i32
      } else {
        scf.yield %2, %c1_i32, %c0_i32 : f64, i32, i32
      }
      %7 = arith.trunci %6#2 : i32 to i1
      scf.condition(%7) %6#0 : f64
    } do {
    ^bb0(%arg7: f64):
      scf.yield %arg7 : f64
    }
    return
  }
}

