// Arithmetic of the index dialect that folds: neutral operands, equal ones, constants.
func.func @halves(%A: memref<?xf32>, %n: index) {
  %c0 = index.constant 0
  %c1 = index.constant 1
  scf.for %i = %c0 to %n step %c1 {
    %a = index.add %i, %c0
    %q = index.divs %a, %c1
    %m = index.maxs %q, %q
    %c4 = index.constant 4
    %p = index.mul %c4, %c1
    %z = index.sub %p, %c4
    %s = index.shl %m, %z
    %v = memref.load %A[%s] : memref<?xf32>
    %w = math.floor %v : f32
    memref.store %w, %A[%i] : memref<?xf32>
  }
  return
}
