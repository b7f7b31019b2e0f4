// hecv-validate in a module inside of another: each=true prints modules between passes, so no threads may be running.

// RUN: not mlir-opt %s --load-pass-plugin=%hecv_plugin \
// RUN:   --pass-pipeline='builtin.module(builtin.module(hecv-validate{pipeline=canonicalize each=true}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=THREADS
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin --mlir-disable-threading -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(builtin.module(hecv-validate{pipeline=canonicalize each=true}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EACH --implicit-check-not=remark:
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(builtin.module(hecv-validate{pipeline=canonicalize}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONCE

// THREADS: validate-nested.mlir:[[#@LINE+1]]:1: error: hecv-validate: with each=true in a nested module, other passes may run in threads; run mlir-opt with --mlir-disable-threading
module @one {
  // EACH: validate-nested.mlir:[[#@LINE+2]]:3: remark: hecv-validate: equivalent: @plus before and after 'canonicalize'
  // ONCE: validate-nested.mlir:[[#@LINE+1]]:3: remark: hecv-validate: equivalent: @plus before and after the pipeline
  func.func @plus(%x: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %a = arith.addi %x, %c0 : i32
    return %a : i32
  }
}
module @two {
  // EACH: validate-nested.mlir:[[#@LINE+2]]:3: remark: hecv-validate: equivalent: no pass changed @load
  // ONCE: validate-nested.mlir:[[#@LINE+1]]:3: remark: hecv-validate: equivalent: @load before and after the pipeline
  func.func @load(%A: memref<8xf32>, %i: index) -> f32 {
    %a = affine.load %A[symbol(%i) * 2] : memref<8xf32>
    return %a : f32
  }
}
