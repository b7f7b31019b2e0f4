func.func @f(%ptr: memref<?xindex>, %x: memref<?xi32>, %y: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %i1 = arith.addi %i, %c1 : index
    %lo = memref.load %ptr[%i] : memref<?xindex>
    %hi = memref.load %ptr[%i1] : memref<?xindex>
    %sum = scf.for %k = %lo to %hi step %c1 iter_args(%s = %zero) -> (i32) {
      %v = memref.load %x[%k] : memref<?xi32>
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    }
    memref.store %sum, %y[%i] : memref<?xi32>
  }
  return
}
