// Softmax as a function of its own, and every other use of what is in it as it was.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 0 hecv rewrite %S/../../examples/attention.mlir --rules %S/../../examples/rules/attention.py --partition softmax -o %t/out.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=RESULT < %t/out.mlir
// RUN: mlir-opt %t/out.mlir | FileCheck %s --check-prefix=RESULT
// RUN: %exits 0 hecv check %S/../../examples/attention.mlir %t/out.mlir | FileCheck %s --check-prefix=AGAIN
// RUN: %exits 2 hecv rewrite %S/../../examples/attention.mlir --rules %S/../../examples/rules/attention.py --partition soft 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK:       pattern 'softmax': 1 part
// CHECK-NEXT:  @softmax_0(%s: tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
// CHECK-NEXT:    tosa.reduce_max {{.*}}attention.mlir:9:10
// CHECK:         tosa.mul {{.*}}attention.mlir:14:8
// CHECK-NEXT:  {{^}}equivalent: @attention (proved; 0 runs;
// RESULT:      call @softmax_0(%{{.*}}) : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
// RESULT:      func.func private @softmax_0(
// RESULT-NEXT:   tosa.reduce_max
// AGAIN:       {{^}}equivalent: @attention (proved
// MISSING:      error[missing-pattern]:
// MISSING:      attention.py
// MISSING:      pattern `soft`
// MISSING-NEXT: = help: there are: {{.*}}scores, softmax, mha
