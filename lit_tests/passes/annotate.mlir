// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   --pass-pipeline='builtin.module(func.func(hecv-annotate))' | FileCheck %s

// A second run changes nothing.
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin --mlir-print-debuginfo \
// RUN:   --pass-pipeline='builtin.module(func.func(hecv-annotate))' -o %t.once
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin --mlir-print-debuginfo \
// RUN:   --pass-pipeline='builtin.module(func.func(hecv-annotate,hecv-annotate))' -o %t.twice
// RUN: diff %t.once %t.twice

// Nothing that runs changes.
// RUN: mlir-opt %s -o %t.before
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin --pass-pipeline='builtin.module(func.func(hecv-annotate))' -o %t.after
// RUN: diff %t.before %t.after

// Another prefix names anew and keeps the first name as the child.
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   --pass-pipeline='builtin.module(func.func(hecv-annotate,hecv-annotate{prefix=late}))' \
// RUN:   | FileCheck %s --check-prefix=LATE

// Loops that a pass made of others have the name of one of these, and keep it.
// RUN: mlir-opt %s --load-pass-plugin=%hecv_plugin --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   --pass-pipeline='builtin.module(func.func(hecv-annotate,affine-loop-tile{tile-size=4},hecv-annotate))' \
// RUN:   | FileCheck %s --check-prefix=TILE

// RUN: not mlir-opt %s --load-pass-plugin=%hecv_plugin \
// RUN:   --pass-pipeline='builtin.module(func.func(hecv-annotate{prefix=}))' 2>&1 | FileCheck %s --check-prefix=EMPTY

// EMPTY: error: hecv-annotate: the prefix is empty, expected a word

// Numbers follow the text, outer before inner: the closing line of an inner op comes first.
// CHECK-LABEL: func.func @nest
// CHECK:         } loc("hecv.nest.2"("{{.*}}annotate.mlir":[[#]]:7))
// CHECK:       } loc("hecv.nest.1"("{{.*}}annotate.mlir":[[#]]:5))
// CHECK:     } loc("hecv.nest.0"("{{.*}}annotate.mlir":[[#]]:3))
// CHECK:     affine.parallel
// CHECK:     } loc("hecv.nest.3"(
// CHECK:     return loc("{{.*}}annotate.mlir"

// LATE-LABEL: func.func @nest
// LATE:         } loc("late.nest.2"("hecv.nest.2"("{{.*}}annotate.mlir"
// LATE:       } loc("late.nest.1"("hecv.nest.1"(
// LATE:     } loc("late.nest.0"("hecv.nest.0"(

func.func @nest(%A: memref<8x8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.if affine_set<(i, j) : (i - j - 1 >= 0)>(%i, %j) {
        affine.store %x, %A[%i, %j] : memref<8x8xf32>
      }
    }
  }
  affine.parallel (%i) = (0) to (8) {
    affine.store %x, %A[%i, 0] : memref<8x8xf32>
  }
  return
}

// CHECK-LABEL: func.func @structured
// CHECK:       scf.reduce loc("{{.*}}annotate.mlir"
// CHECK:     } loc("hecv.structured.1"(
// CHECK:     } loc("hecv.structured.2"(
// CHECK:     } loc("hecv.structured.3"(
// CHECK:     } loc("hecv.structured.4"(
// CHECK:   } loc("hecv.structured.0"(
func.func @structured(%A: memref<8xf32>, %x: f32, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %x, %A[%j] : memref<8xf32>
    }
    scf.forall (%j) in (8) {
      memref.store %x, %A[%j] : memref<8xf32>
    }
    scf.while : () -> () {
      scf.condition(%c)
    } do {
      scf.yield
    }
    scf.if %c {
      memref.store %x, %A[%i] : memref<8xf32>
    }
  }
  return
}

// Each function counts for itself, and no other op gets a name.
// CHECK-LABEL: func.func @flat
// CHECK-NOT:     hecv.flat
// CHECK:         return
func.func @flat(%A: memref<8xf32>) -> f32 {
  %v = affine.load %A[0] : memref<8xf32>
  return %v : f32
}

// TILE-LABEL: func.func @copy
// TILE:             } loc("hecv.copy.0"("{{.*}}annotate.mlir":
// TILE:           } loc("hecv.copy.0"("{{.*}}annotate.mlir":
// TILE:         } loc("hecv.copy.0"("{{.*}}annotate.mlir":
// TILE:       } loc("hecv.copy.0"("{{.*}}annotate.mlir":
func.func @copy(%A: memref<8x8xf32>, %B: memref<8x8xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v = affine.load %A[%i, %j] : memref<8x8xf32>
      affine.store %v, %B[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// A loop that has no name yet takes a number that is free.
// CHECK-LABEL: func.func @later
// CHECK:       } loc("hecv.later.1"(
// CHECK:       } loc("hecv.later.0")
// CHECK:       } loc(fused["hecv.later.2", "{{.*}}annotate.mlir":{{.*}}])
// CHECK:       } loc("hecv.later.3"("other.later.7"))
func.func @later(%A: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 2 {
    affine.store %x, %A[%i] : memref<8xf32>
  }
  affine.for %i = 2 to 4 {
    affine.store %x, %A[%i] : memref<8xf32>
  } loc("hecv.later.0")
  affine.for %i = 4 to 6 {
    affine.store %x, %A[%i] : memref<8xf32>
  } loc(fused["hecv.later.2", "annotate.mlir":1:1])
  affine.for %i = 6 to 8 {
    affine.store %x, %A[%i] : memref<8xf32>
  } loc("other.later.7")
  return
}
