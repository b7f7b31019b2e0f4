// Memrefs that a branch, a select and loops choose: by a condition on data, by the number of the iteration, by neither.

func.func @chosen(%c: i1, %A: memref<8xf32>, %B: memref<8xf32>, %x: f32) -> f32 {
  %m = scf.if %c -> memref<8xf32> { scf.yield %A : memref<8xf32> } else { scf.yield %B : memref<8xf32> }
  affine.for %i = 0 to 8 { affine.store %x, %m[%i] : memref<8xf32> }
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<8xf32>
  return %v : f32
}

func.func @greater(%A: memref<8xf32>, %B: memref<8xf32>, %S: memref<?xi1>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %A, %b = %B) -> (memref<8xf32>, memref<8xf32>) {
    %s = memref.load %S[%t] : memref<?xi1>
    memref.store %x, %a[%c0] : memref<8xf32>
    %p = arith.select %s, %a, %b : memref<8xf32>
    %q = arith.select %s, %b, %a : memref<8xf32>
    scf.yield %q, %p : memref<8xf32>, memref<8xf32>
  }
  memref.copy %r#0, %r#1 : memref<8xf32> to memref<8xf32>
  return
}

func.func @halves(%A: memref<8xi32>, %B: memref<8xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %r:3 = scf.while (%i = %zero, %a = %A, %b = %B) : (i32, memref<8xi32>, memref<8xi32>) -> (i32, memref<8xi32>, memref<8xi32>) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i, %b, %a : i32, memref<8xi32>, memref<8xi32>
  } do {
  ^bb0(%i: i32, %b: memref<8xi32>, %a: memref<8xi32>):
    %j = arith.addi %i, %one : i32
    memref.store %j, %b[%c0] : memref<8xi32>
    scf.yield %j, %b, %a : i32, memref<8xi32>, memref<8xi32>
  }
  memref.store %r#0, %r#1[%c0] : memref<8xi32>
  return
}

func.func @shift(%A: memref<4xf32>, %B: memref<4xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tmp = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%tmp : memref<4xf32>)
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%a = %A, %b = %tmp) -> (memref<4xf32>, memref<4xf32>) {
    %v = vector.transfer_read %b[%c0], %x : memref<4xf32>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.transfer_write %w, %a[%c0] : vector<4xf32>, memref<4xf32>
    scf.yield %b, %B : memref<4xf32>, memref<4xf32>
  }
  memref.dealloc %tmp : memref<4xf32>
  return
}
