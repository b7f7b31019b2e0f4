// Index values that are returned: digits of an index, the index of digits, and both with what an op says of them.
func.func @index(%i: index, %j: index, %k: index) -> index {
  %l = affine.linearize_index [%i, %j, %k] by (3, 5) : index
  return %l : index
}
func.func @disjoint(%i: index, %j: index, %k: index) -> index {
  %l = affine.linearize_index disjoint [%i, %j, %k] by (2, 3, 5) : index
  return %l : index
}
func.func @digits(%i: index) -> (index, index, index) {
  %d:3 = affine.delinearize_index %i into (4, 7, 5) : index, index, index
  return %d#0, %d#1, %d#2 : index, index, index
}
func.func @another_basis(%i: index, %j: index) -> (index, index) {
  %l = affine.linearize_index disjoint [%i, %j] by (3, 12) : index
  %d:2 = affine.delinearize_index %l into (9, 4) : index, index
  return %d#0, %d#1 : index, index
}
