// What `convert-scf-to-cf` makes of a nest of loops with a branch.
func.func @blocks(%A: memref<?xf32>, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  cf.br ^rows(%c0, %x : index, f32)
^rows(%i: index, %s: f32):
  %row = arith.cmpi slt, %i, %n : index
  cf.cond_br %row, ^columns(%c0 : index), ^end
^columns(%j: index):
  %column = arith.cmpi slt, %j, %i : index
  cf.cond_br %column, ^body, ^next
^body:
  %near = arith.cmpi slt, %j, %c2 : index
  cf.cond_br %near, ^load, ^join(%x : f32)
^load:
  %v = memref.load %A[%j] : memref<?xf32>
  cf.br ^join(%v : f32)
^join(%w: f32):
  memref.store %w, %A[%i] : memref<?xf32>
  %j1 = arith.addi %j, %c1 : index
  cf.br ^columns(%j1 : index)
^next:
  %t = arith.addf %s, %x : f32
  %i1 = arith.addi %i, %c1 : index
  cf.br ^rows(%i1, %t : index, f32)
^end:
  return %s : f32
}
