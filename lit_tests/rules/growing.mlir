// A rule that goes on for ever ends at a limit, and the verdict names it.
// RUN: split-file %s %t
// RUN: %exits 3 hecv check %t/src.mlir %t/tgt.mlir --rules %S/Inputs/growing.py --node-limit 2000 | FileCheck %s
// CHECK: {{^}}unknown: @f
// CHECK-NEXT: the laws met their {{node|iteration|time}}{{[[:space:]]+}}limit, and of the user's rules 'shifting' made the e-graph{{[[:space:]]+}}grow the most

//--- src.mlir
func.func @f(%a: i32, %b: i32) -> f32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.sitofp %0 : i32 to f32
  %2 = arith.negf %1 : f32
  %3 = math.cos %2 : f32
  return %3 : f32
}

//--- tgt.mlir
func.func @f(%a: i32, %b: i32) -> f32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.sitofp %0 : i32 to f32
  %3 = math.cos %1 : f32
  return %3 : f32
}
