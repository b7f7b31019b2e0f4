// Bad input and usage exit 2 and say what to do.
// RUN: split-file %s %t
// RUN: %exits 2 hecv check %t/src.mlir %t/syntax.mlir 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: %exits 2 hecv check %t/src.mlir %t/signature.mlir 2>&1 | FileCheck %s --check-prefix=SIGNATURE
// RUN: %exits 2 hecv check %t/src.mlir %t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %exits 2 hecv check %t/src.mlir %t/nowhere.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: %exits 2 hecv check %t/src.mlir %t/src.mlir --func h 2>&1 | FileCheck %s --check-prefix=FUNC
// RUN: %exits 2 hecv check - - 2>&1 | FileCheck %s --check-prefix=STDIN
// RUN: %exits 2 hecv check %t/src.mlir 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: %exits 2 hecv check %t/src.mlir %t/src.mlir --no-such-option 2>&1 | FileCheck %s --check-prefix=USAGE

// A memref extent is part of the signature.
// RUN: %exits 2 hecv check %t/src.mlir %t/extent.mlir 2>&1 | FileCheck %s --check-prefix=SIGNATURE

// SYNTAX: error[{{.*}}]:
// SYNTAX: --> {{.*}}syntax.mlir:2:
// SIGNATURE: error[signature-mismatch]: @f has type {{.*}}, expected
// SIGNATURE: = help:
// MISSING: error[missing-function]:
// MISSING: missing.mlir
// MISSING: @g
// NOWHERE: error[{{.*}}]:
// NOWHERE: nowhere.mlir
// FUNC: error[missing-function]:
// FUNC: src.mlir
// FUNC: @h
// FUNC: = help: there are: @f, @g
// STDIN: error[usage]:
// USAGE: error[usage]:
// USAGE: = help:

//--- src.mlir
func.func @f(%A: memref<4xf32>) { return }
func.func @g() { return }

//--- syntax.mlir
func.func @f(%A: memref<4xf32>) {
  affine.fro %i = 0 to 4 { }
  return
}

//--- signature.mlir
func.func @f(%A: memref<4xf64>) { return }
func.func @g() { return }

//--- extent.mlir
func.func @f(%A: memref<5xf32>) { return }
func.func @g() { return }

//--- missing.mlir
func.func @f(%A: memref<4xf32>) { return }
func.func private @g() { return }
