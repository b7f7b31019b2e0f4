// A wrong value: the clean-up loop starts one iteration too early. The input, both outcomes and the place are shown.
// RUN: split-file %s %t
// RUN: %exits 1 hecv check %t/src.mlir %t/tgt.mlir | FileCheck %s

// CHECK: {{^}}not equivalent: @scale ({{[0-9]+}} runs; {{[0-9.]+}} s)
// CHECK-NEXT:   input    %A = memref<5xi32> [{{.*}}]
// CHECK-NEXT:   source   %A = [{{.*}}]
// CHECK-NEXT:   target   %A = [{{.*}}]
// CHECK:        --> {{.*}}tgt.mlir:
// CHECK:        = note: both were run on this input by the interpreter and by MLIR's JIT

//--- src.mlir
func.func @scale(%A: memref<5xi32>) {
  affine.for %i = 0 to 5 {
    %a = affine.load %A[%i] : memref<5xi32>
    %b = arith.addi %a, %a : i32
    affine.store %b, %A[%i] : memref<5xi32>
  }
  return
}

//--- tgt.mlir
func.func @scale(%A: memref<5xi32>) {
  affine.for %i = 0 to 4 step 2 {
    %a = affine.load %A[%i] : memref<5xi32>
    %b = arith.addi %a, %a : i32
    affine.store %b, %A[%i] : memref<5xi32>
    %c = affine.load %A[%i + 1] : memref<5xi32>
    %d = arith.addi %c, %c : i32
    affine.store %d, %A[%i + 1] : memref<5xi32>
  }
  affine.for %i = 3 to 5 {
    %a = affine.load %A[%i] : memref<5xi32>
    %b = arith.addi %a, %a : i32
    affine.store %b, %A[%i] : memref<5xi32>
  }
  return
}
