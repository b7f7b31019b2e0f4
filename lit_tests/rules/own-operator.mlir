// An operator of the user's own is a function because the rule file says so; the law about it is taken on trust.
// RUN: split-file %s %t
// RUN: %exits 3 hecv check %t/src.mlir %t/tgt.mlir | FileCheck %s --check-prefix=UNKNOWN
// RUN: %exits 3 hecv check %t/src.mlir %t/tgt.mlir --rules %S/Inputs/blur.py 2>&1 | FileCheck %s --check-prefix=UNPROVED
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir --rules %S/Inputs/blur.py --trust | FileCheck %s
// UNKNOWN: {{^}}unknown: @f
// UNPROVED: warning[rule-unproved]: 'blur-blur' is not used for proof
// CHECK: {{^}}equivalent: @f (trusted;
// CHECK: = assumes: ops without semantics here are functions of their operands and{{[[:space:]]+}}attributes: my.blur
// CHECK: = assumes: the rule 'blur-blur' holds: nothing is known of it (--trust)

//--- src.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "my.blur"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "my.blur"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- tgt.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "my.blur"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
