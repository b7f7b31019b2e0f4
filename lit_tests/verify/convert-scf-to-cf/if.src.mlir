// Branches with and without results, one in another.
func.func @choose(%A: memref<8xi32>, %n: index, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %early = arith.cmpi slt, %i, %n : index
    %v = scf.if %early -> i32 {
      %a = memref.load %A[%i] : memref<8xi32>
      scf.yield %a : i32
    } else {
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        memref.store %x, %A[%c0] : memref<8xi32>
      }
      scf.yield %x : i32
    }
    %w = arith.addi %v, %x : i32
    memref.store %w, %A[%i] : memref<8xi32>
  }
  %r = memref.load %A[%c0] : memref<8xi32>
  return %r : i32
}
