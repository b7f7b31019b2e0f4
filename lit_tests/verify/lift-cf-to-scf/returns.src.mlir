// Two ways out, a loop that tests at its end, and a value of its last iteration used after it.
func.func @returns(%A: memref<?xi32>, %n: index, %skip: i1) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  cf.cond_br %skip, ^out, ^loop(%c0 : index)
^out:
  return %one : i32
^loop(%i: index):
  %v = memref.load %A[%i] : memref<?xi32>
  %w = arith.addi %v, %one : i32
  memref.store %w, %A[%i] : memref<?xi32>
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^loop(%j : index), ^done
^done:
  return %w : i32
}
