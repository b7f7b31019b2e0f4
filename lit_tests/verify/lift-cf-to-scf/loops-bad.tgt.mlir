// mlir-opt loops.src.mlir --lift-cf-to-scf, then changed by hand
// Verdict: not equivalent
// Changed: line 27, the element of another row; it was
//   %15 = memref.load %arg0[%arg6] : memref<?xf32>
// RUN: %exits 1 hecv check %S/loops.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @blocks
// SELF: {{^}}equivalent: @blocks

module {
  func.func @blocks(%arg0: memref<?xf32>, %arg1: index, %arg2: f32) -> f32 {
    %0 = ub.poison : f32
    %1 = ub.poison : index
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %2:3 = scf.while (%arg3 = %c0, %arg4 = %arg2, %arg5 = %0) : (index, f32, f32) -> (index, f32, f32) {
      %3 = arith.cmpi slt, %arg3, %arg1 : index
      %4:4 = scf.if %3 -> (index, f32, i32, i32) {
        %6 = scf.while (%arg6 = %c0) : (index) -> index {
          %9 = arith.cmpi slt, %arg6, %arg3 : index
          %10:3 = scf.if %9 -> (index, i32, i32) {
            %12 = arith.cmpi slt, %arg6, %c2 : index
            %13 = scf.if %12 -> (f32) {
              %15 = memref.load %arg0[%arg3] : memref<?xf32>
              scf.yield %15 : f32
            } else {
              scf.yield %arg2 : f32
            }
            memref.store %13, %arg0[%arg3] : memref<?xf32>
            %14 = arith.addi %arg6, %c1 : index
            scf.yield %14, %c0_i32, %c1_i32 : index, i32, i32
          } else {
            scf.yield %1, %c1_i32, %c0_i32 : index, i32, i32
          }
          %11 = arith.trunci %10#2 : i32 to i1
          scf.condition(%11) %10#0 : index
        } do {
        ^bb0(%arg6: index):
          scf.yield %arg6 : index
        }
        %7 = arith.addf %arg4, %arg2 : f32
        %8 = arith.addi %arg3, %c1 : index
        scf.yield %8, %7, %c0_i32, %c1_i32 : index, f32, i32, i32
      } else {
        scf.yield %1, %0, %c1_i32, %c0_i32 : index, f32, i32, i32
      }
      %5 = arith.trunci %4#3 : i32 to i1
      scf.condition(%5) %4#0, %4#1, %arg4 : index, f32, f32
    } do {
    ^bb0(%arg3: index, %arg4: f32, %arg5: f32):
      scf.yield %arg3, %arg4, %arg5 : index, f32, f32
    }
    return %2#2 : f32
  }
}
