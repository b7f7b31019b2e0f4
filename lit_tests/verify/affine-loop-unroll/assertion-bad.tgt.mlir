// mlir-opt assertion.src.mlir --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=4}))', then changed by hand
// Verdict: not equivalent
// Changed: line 22, one assertion demands more than the source; it was
//   %2 = arith.cmpi ne, %1, %c0_i32 : i32
// RUN: %exits 1 hecv check %S/assertion.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// CHECK: {{^}}not equivalent: @checked
// SELF: {{^}}equivalent: @checked

#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @checked(%arg0: memref<10xi32>) {
    %c0_i32 = arith.constant 0 : i32
    %c10_i32 = arith.constant 10 : i32
    %c9 = arith.constant 9 : index
    affine.for %arg1 = 0 to 8 step 4 {
      %0 = arith.cmpi sle, %arg1, %c9 : index
      cf.assert %0, "an index is too large"
      %1 = affine.load %arg0[%arg1] : memref<10xi32>
      %2 = arith.cmpi sgt, %1, %c0_i32 : i32
      cf.assert %2, "an element is zero"
      %3 = arith.muli %1, %c10_i32 : i32
      affine.store %3, %arg0[%arg1] : memref<10xi32>
      %4 = affine.apply #map(%arg1)
      %5 = arith.cmpi sle, %4, %c9 : index
      cf.assert %5, "an index is too large"
      %6 = affine.load %arg0[%4] : memref<10xi32>
      %7 = arith.cmpi ne, %6, %c0_i32 : i32
      cf.assert %7, "an element is zero"
      %8 = arith.muli %6, %c10_i32 : i32
      affine.store %8, %arg0[%4] : memref<10xi32>
      %9 = affine.apply #map1(%arg1)
      %10 = arith.cmpi sle, %9, %c9 : index
      cf.assert %10, "an index is too large"
      %11 = affine.load %arg0[%9] : memref<10xi32>
      %12 = arith.cmpi ne, %11, %c0_i32 : i32
      cf.assert %12, "an element is zero"
      %13 = arith.muli %11, %c10_i32 : i32
      affine.store %13, %arg0[%9] : memref<10xi32>
      %14 = affine.apply #map2(%arg1)
      %15 = arith.cmpi sle, %14, %c9 : index
      cf.assert %15, "an index is too large"
      %16 = affine.load %arg0[%14] : memref<10xi32>
      %17 = arith.cmpi ne, %16, %c0_i32 : i32
      cf.assert %17, "an element is zero"
      %18 = arith.muli %16, %c10_i32 : i32
      affine.store %18, %arg0[%14] : memref<10xi32>
    }
    affine.for %arg1 = 8 to 10 {
      %0 = arith.cmpi sle, %arg1, %c9 : index
      cf.assert %0, "an index is too large"
      %1 = affine.load %arg0[%arg1] : memref<10xi32>
      %2 = arith.cmpi ne, %1, %c0_i32 : i32
      cf.assert %2, "an element is zero"
      %3 = arith.muli %1, %c10_i32 : i32
      affine.store %3, %arg0[%arg1] : memref<10xi32>
    }
    return
  }
}
