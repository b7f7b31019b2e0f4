// Searches with two ways out and three.
func.func @find(%A: memref<?xi32>, %x: i32, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %in = arith.cmpi slt, %i, %n : index
  cf.cond_br %in, ^body, ^none
^body:
  %a = memref.load %A[%i] : memref<?xi32>
  %eq = arith.cmpi eq, %a, %x : i32
  %i1 = arith.addi %i, %c1 : index
  cf.cond_br %eq, ^found, ^head(%i1 : index)
^found:
  return %i : index
^none:
  return %m1 : index
}
func.func @sumuntil(%A: memref<?xi32>, %B: memref<?xi32>, %x: i32, %n: index) -> (index, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  cf.br ^head(%c0, %z : index, i32)
^head(%i: index, %s: i32):
  %in = arith.cmpi slt, %i, %n : index
  cf.cond_br %in, ^body, ^exit(%i, %s : index, i32)
^body:
  %a = memref.load %A[%i] : memref<?xi32>
  %t = arith.addi %s, %a : i32
  memref.store %t, %B[%i] : memref<?xi32>
  %eq = arith.cmpi sgt, %t, %x : i32
  %i1 = arith.addi %i, %c1 : index
  cf.cond_br %eq, ^exit(%i, %t : index, i32), ^head(%i1, %t : index, i32)
^exit(%r: index, %q: i32):
  return %r, %q : index, i32
}
func.func @three(%A: memref<?xi32>, %x: i32, %y: i32, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %r2 = arith.constant 2 : i32
  cf.br ^head(%c0 : index)
^head(%i: index):
  %in = arith.cmpi slt, %i, %n : index
  cf.cond_br %in, ^body, ^exit(%r0 : i32)
^body:
  %a = memref.load %A[%i] : memref<?xi32>
  %eq = arith.cmpi eq, %a, %x : i32
  cf.cond_br %eq, ^exit(%r1 : i32), ^more
^more:
  %eq2 = arith.cmpi eq, %a, %y : i32
  %i1 = arith.addi %i, %c1 : index
  cf.cond_br %eq2, ^two, ^head(%i1 : index)
^two:
  %v = arith.addi %a, %r2 : i32
  cf.br ^exit(%v : i32)
^exit(%q: i32):
  return %q : i32
}
