// Attention written out becomes one op, which stands for what it replaced; the rest stays, names too.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 0 hecv rewrite %S/../../examples/attention.mlir --rules %S/../../examples/rules/attention.py -o %t/out.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=RESULT < %t/out.mlir

// Not quite a softmax: no match.
// RUN: sed 's/tosa.sub %%s, %%max/tosa.add %%s, %%max/' %S/../../examples/attention.mlir > %t/other.mlir
// RUN: %exits 0 hecv rewrite %t/other.mlir --rules %S/../../examples/rules/attention.py -o %t/same.mlir | FileCheck %s --check-prefix=NONE
// RUN: FileCheck %s --check-prefix=SAME < %t/same.mlir

// CHECK:      rule 'fuse-attention': 1 use
// CHECK-NEXT: my.attention stands for what it replaced
// CHECK-NEXT: {{^}}equivalent: @attention (proved; 0 runs;
// CHECK:      wrote {{.*}}out.mlir
// RESULT:     func.func @attention(%q: tensor<1x16x8xf32>
// RESULT-NEXT: %scale = "tosa.const"
// RESULT-NEXT: %o = "my.attention"(%q, %k, %v, %scale) :
// RESULT-NEXT: return %o
// NONE:       no rule applied
// NONE-NEXT:  equivalent: nothing was changed
// NONE-NEXT:  wrote
// SAME:       %less = tosa.add %s, %max
// SAME-NOT:   my.attention
