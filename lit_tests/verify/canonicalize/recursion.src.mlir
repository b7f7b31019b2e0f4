// Functions that call themselves, each other, and change memory and a global on the way.
memref.global @steps : memref<i32> = dense<0>

func.func @ackermann(%m: i32, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = arith.cmpi sle, %m, %c0 : i32
  %r = scf.if %last -> i32 {
    %s = arith.addi %c1, %n : i32
    scf.yield %s : i32
  } else {
    %p = arith.subi %m, %c1 : i32
    %low = arith.cmpi sle, %n, %c0 : i32
    %inner = scf.if %low -> i32 {
      scf.yield %c1 : i32
    } else {
      %q = arith.subi %n, %c1 : i32
      %m0 = arith.addi %m, %c0 : i32
      %v = func.call @ackermann(%m0, %q) : (i32, i32) -> i32
      scf.yield %v : i32
    }
    %w = func.call @ackermann(%p, %inner) : (i32, i32) -> i32
    scf.yield %w : i32
  }
  return %r : i32
}

func.func @prefix(%A: memref<?xi32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i32
  %n = memref.dim %A, %c0 : memref<?xi32>
  %go = arith.cmpi slt, %i, %n : index
  scf.if %go {
    %before = arith.subi %i, %c1 : index
    %x = memref.load %A[%i] : memref<?xi32>
    %g = memref.get_global @steps : memref<i32>
    %y = arith.muli %two, %x : i32
    memref.store %y, %A[%i] : memref<?xi32>
    memref.store %y, %g[] : memref<i32>
    %j = arith.addi %i, %c1 : index
    func.call @suffix(%A, %j) : (memref<?xi32>, index) -> ()
  }
  return
}

func.func private @suffix(%A: memref<?xi32>, %i: index) {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : index
  %j0 = arith.addi %i, %z : index
  %j = arith.addi %j0, %c1 : index
  func.call @prefix(%A, %j) : (memref<?xi32>, index) -> ()
  return
}
