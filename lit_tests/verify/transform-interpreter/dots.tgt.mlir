// mlir-opt dots.src.mlir --transform-interpreter --canonicalize --cse, by the script
// vectorize_children_and_apply_patterns, lower_contraction by "dot"
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/dots.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/dots.src.mlir %S/dots.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}equivalent: @mm
// SELF: {{^}}equivalent: @mm

module {
  func.func @mm(%arg0: tensor<5x4xi32>, %arg1: tensor<4x3xi32>, %arg2: tensor<5x3xi32>) -> tensor<5x3xi32> {
    %c0 = arith.constant 0 : index
    %0 = ub.poison : i32
    %1 = vector.transfer_read %arg0[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<5x4xi32>, vector<5x4xi32>
    %2 = vector.transfer_read %arg1[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<4x3xi32>, vector<4x3xi32>
    %3 = vector.transfer_read %arg2[%c0, %c0], %0 {in_bounds = [true, true]} : tensor<5x3xi32>, vector<5x3xi32>
    %4 = vector.transpose %2, [1, 0] : vector<4x3xi32> to vector<3x4xi32>
    %5 = vector.extract %1[0] : vector<4xi32> from vector<5x4xi32>
    %6 = vector.extract %4[0] : vector<4xi32> from vector<3x4xi32>
    %7 = arith.muli %5, %6 : vector<4xi32>
    %8 = vector.reduction <add>, %7 : vector<4xi32> into i32
    %9 = vector.extract %4[1] : vector<4xi32> from vector<3x4xi32>
    %10 = arith.muli %5, %9 : vector<4xi32>
    %11 = vector.reduction <add>, %10 : vector<4xi32> into i32
    %12 = vector.extract %4[2] : vector<4xi32> from vector<3x4xi32>
    %13 = arith.muli %5, %12 : vector<4xi32>
    %14 = vector.reduction <add>, %13 : vector<4xi32> into i32
    %15 = vector.extract %1[1] : vector<4xi32> from vector<5x4xi32>
    %16 = arith.muli %15, %6 : vector<4xi32>
    %17 = vector.reduction <add>, %16 : vector<4xi32> into i32
    %18 = arith.muli %15, %9 : vector<4xi32>
    %19 = vector.reduction <add>, %18 : vector<4xi32> into i32
    %20 = arith.muli %15, %12 : vector<4xi32>
    %21 = vector.reduction <add>, %20 : vector<4xi32> into i32
    %22 = vector.extract %1[2] : vector<4xi32> from vector<5x4xi32>
    %23 = arith.muli %22, %6 : vector<4xi32>
    %24 = vector.reduction <add>, %23 : vector<4xi32> into i32
    %25 = arith.muli %22, %9 : vector<4xi32>
    %26 = vector.reduction <add>, %25 : vector<4xi32> into i32
    %27 = arith.muli %22, %12 : vector<4xi32>
    %28 = vector.reduction <add>, %27 : vector<4xi32> into i32
    %29 = vector.extract %1[3] : vector<4xi32> from vector<5x4xi32>
    %30 = arith.muli %29, %6 : vector<4xi32>
    %31 = vector.reduction <add>, %30 : vector<4xi32> into i32
    %32 = arith.muli %29, %9 : vector<4xi32>
    %33 = vector.reduction <add>, %32 : vector<4xi32> into i32
    %34 = arith.muli %29, %12 : vector<4xi32>
    %35 = vector.reduction <add>, %34 : vector<4xi32> into i32
    %36 = vector.extract %1[4] : vector<4xi32> from vector<5x4xi32>
    %37 = arith.muli %36, %6 : vector<4xi32>
    %38 = vector.reduction <add>, %37 : vector<4xi32> into i32
    %39 = arith.muli %36, %9 : vector<4xi32>
    %40 = vector.reduction <add>, %39 : vector<4xi32> into i32
    %41 = arith.muli %36, %12 : vector<4xi32>
    %42 = vector.reduction <add>, %41 : vector<4xi32> into i32
    %43 = vector.from_elements %8, %11, %14, %17, %19, %21, %24, %26, %28, %31, %33, %35, %38, %40, %42 : vector<5x3xi32>
    %44 = arith.addi %43, %3 : vector<5x3xi32>
    %45 = vector.transfer_write %44, %arg2[%c0, %c0] {in_bounds = [true, true]} : vector<5x3xi32>, tensor<5x3xi32>
    return %45 : tensor<5x3xi32>
  }
}
