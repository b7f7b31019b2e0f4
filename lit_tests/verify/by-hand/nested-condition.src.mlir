func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %A[%i] : memref<?xi32>
    %positive = arith.cmpi sgt, %v, %zero : i32
    %later = arith.cmpi sgt, %i, %c0 : index
    %both = arith.andi %positive, %later : i1
    scf.if %both {
      %before = arith.subi %i, %c1 : index
      memref.store %v, %B[%before] : memref<?xi32>
    }
  }
  return
}
