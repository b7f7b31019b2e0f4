// A rule that nothing is known of: its result is written when it is trusted, and that is told.
// RUN: rm -rf %t && split-file %s %t
// RUN: %exits 3 hecv rewrite %t/p.mlir --rules %t/r.py -o %t/out.mlir 2>&1 | FileCheck %t/p.mlir --check-prefix=DOUBT
// RUN: not ls %t/out.mlir
// RUN: %exits 0 hecv rewrite %t/p.mlir --rules %t/r.py -o %t/out.mlir --trust | FileCheck %t/p.mlir --check-prefix=TRUST
// RUN: FileCheck %t/p.mlir --check-prefix=RESULT < %t/out.mlir

//--- r.py
from hecv.rules import pattern, rule, tosa


@pattern
def inverses(x):
    return tosa.exp(tosa.log(x))


@rule(inverses)
def exp_log(x):
    return x

//--- p.mlir
// DOUBT: warning[rule-unproved]: 'exp-log' is not used for proof
// DOUBT: rule 'exp-log': 1 use
// DOUBT: unknown: @f (0 runs;
// TRUST: {{^}}equivalent: @f (trusted; 0 runs;
// TRUST: assumes: the rule 'exp-log' holds
// RESULT: %s = tosa.sigmoid %x
// A tensor of f80 has no elements here: the function is read with its tensors as a whole.
func.func @f(%x: tensor<4xf32>, %other: tensor<4xf80>) -> tensor<4xf32> {
  %l = tosa.log %x : (tensor<4xf32>) -> tensor<4xf32>
  %e = tosa.exp %l : (tensor<4xf32>) -> tensor<4xf32>
  %s = tosa.sigmoid %e : (tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
