// A law that cannot be proved is not used, and a warning says so.
// RUN: split-file %s %t
// RUN: %exits 3 hecv check %t/src.mlir %t/tgt.mlir --rules %S/Inputs/cosine.py 2>&1 | FileCheck %s
// CHECK: warning[rule-unproved]: 'even-cosine' is not used for proof: it could not be{{[[:space:]]+}}proved, tests agree with it
// CHECK: --> {{.*}}cosine.py:7:1
// CHECK: = help: --trust
// CHECK: {{^}}unknown: @f

// With --trust it is, and the verdict says on what it rests.
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir --rules %S/Inputs/cosine.py --trust -v | FileCheck %s --check-prefix=TRUST
// TRUST: {{^}}equivalent: @f (tested;
// TRUST: rule 'even-cosine' (static, tested)
// TRUST: = assumes: the rule 'even-cosine' holds: tests agree with it (--trust)

//--- src.mlir
func.func @f(%a: f32) -> f32 {
  %0 = arith.negf %a : f32
  %1 = math.cos %0 : f32
  return %1 : f32
}

//--- tgt.mlir
func.func @f(%a: f32) -> f32 {
  %1 = math.cos %a : f32
  return %1 : f32
}
