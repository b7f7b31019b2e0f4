// A rule about any operator: its match here is proved as such, for any function.
// RUN: split-file %s %t
// RUN: %exits 0 hecv check %t/src.mlir %t/tgt.mlir --rules %S/Inputs/choice.py -v | FileCheck %s
// CHECK: {{^}}equivalent: @f (proved;
// CHECK: rule 'after-choice' (dynamic, proved)

//--- src.mlir
func.func @f(%c: i1, %a: f32, %b: f32) -> f32 {
  %0 = math.tanh %a : f32
  %1 = math.tanh %b : f32
  %2 = arith.select %c, %0, %1 : f32
  %3 = arith.negf %2 : f32
  return %3 : f32
}

//--- tgt.mlir
func.func @f(%c: i1, %a: f32, %b: f32) -> f32 {
  %0 = arith.select %c, %a, %b : f32
  %1 = math.tanh %0 : f32
  %2 = arith.negf %1 : f32
  return %2 : f32
}
