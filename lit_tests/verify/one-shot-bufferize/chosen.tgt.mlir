// mlir-opt chosen.src.mlir --one-shot-bufferize='bufferize-function-boundaries
// function-boundary-type-conversion=identity-layout-map'
// Verdict: equivalent
// RUN: %exits 0 hecv check %S/chosen.src.mlir %s | FileCheck %s
// RUN: %exits 0 hecv check %s %s | FileCheck %s --check-prefix=SELF
// RUN: %exits 0 hecv check %S/chosen.src.mlir %S/chosen.src.mlir | FileCheck %s --check-prefix=SELF
// CHECK-DAG: {{^}}equivalent: @branch
// CHECK-DAG: {{^}}equivalent: @select
// CHECK-DAG: {{^}}equivalent: @either
// SELF-DAG: {{^}}equivalent: @branch
// SELF-DAG: {{^}}equivalent: @select
// SELF-DAG: {{^}}equivalent: @either

module {
  func.func @branch(%arg0: i1, %arg1: memref<8xf32>, %arg2: f32, %arg3: index) -> memref<8xf32> {
    %0 = scf.if %arg0 -> (memref<8xf32, strided<[?], offset: ?>>) {
      memref.store %arg2, %arg1[%arg3] : memref<8xf32>
      %cast = memref.cast %arg1 : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
      scf.yield %cast : memref<8xf32, strided<[?], offset: ?>>
    } else {
      %alloc_0 = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
      linalg.fill ins(%arg2 : f32) outs(%alloc_0 : memref<8xf32>)
      %cast = memref.cast %alloc_0 : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
      scf.yield %cast : memref<8xf32, strided<[?], offset: ?>>
    }
    %1 = memref.load %0[%arg3] : memref<8xf32, strided<[?], offset: ?>>
    %2 = arith.addf %1, %1 : f32
    memref.store %2, %0[%arg3] : memref<8xf32, strided<[?], offset: ?>>
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
    memref.copy %0, %alloc : memref<8xf32, strided<[?], offset: ?>> to memref<8xf32>
    return %alloc : memref<8xf32>
  }
  func.func @select(%arg0: i1, %arg1: memref<8xf32>, %arg2: memref<8xf32>, %arg3: index) -> f32 {
    %0 = arith.select %arg0, %arg1, %arg2 : memref<8xf32>
    %1 = memref.load %0[%arg3] : memref<8xf32>
    return %1 : f32
  }
  func.func @either(%arg0: i1, %arg1: memref<8xf32>, %arg2: memref<8xf32>, %arg3: f32, %arg4: index) -> memref<8xf32> {
    %0 = scf.if %arg0 -> (memref<8xf32>) {
      memref.store %arg3, %arg1[%arg4] : memref<8xf32>
      scf.yield %arg1 : memref<8xf32>
    } else {
      memref.store %arg3, %arg2[%arg4] : memref<8xf32>
      scf.yield %arg2 : memref<8xf32>
    }
    return %0 : memref<8xf32>
  }
}

