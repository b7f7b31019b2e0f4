// A law that is false is bad input wherever it could be used: its place, and values for which it fails.
// RUN: %exits 2 hecv check %s %s --rules %S/Inputs/wrong.py 2>&1 | FileCheck %s
// RUN: %exits 2 hecv check %s %s --rules %S/Inputs/wrong.py --trust 2>&1 | FileCheck %s
// CHECK: error[rule-false]: 'commuted' is false: for x = {{.*}}, y = {{[^ ]*}}{{[[:space:]]+}}of type i32,{{[[:space:]]+}}the left side is {{[^ ]*}} the right side
// CHECK: --> {{.*}}wrong.py:7:1
// CHECK: def commuted(x, y):

// RUN: %exits 2 hecv check %s %s --rules %S/Inputs/none.py 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error[unreadable]

func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.subi %a, %b : i32
  return %0 : i32
}
