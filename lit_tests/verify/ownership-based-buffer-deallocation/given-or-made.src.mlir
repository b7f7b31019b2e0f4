// A memref is the caller's or an allocation: what a branch gives, what blocks hand on, of any size.
func.func @branch(%A: memref<8xf32>, %c: i1, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %s = scf.if %c -> (memref<8xf32>) {
    scf.yield %A : memref<8xf32>
  } else {
    %T = memref.alloc() : memref<8xf32>
    memref.store %x, %T[%c0] : memref<8xf32>
    scf.yield %T : memref<8xf32>
  }
  %v = memref.load %s[%c0] : memref<8xf32>
  return %v : f32
}

func.func @blocks(%A: memref<8xf32>, %c: i1, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^d(%A : memref<8xf32>)
^b:
  %T = memref.alloc() : memref<8xf32>
  memref.store %x, %T[%c0] : memref<8xf32>
  cf.br ^d(%T : memref<8xf32>)
^d(%s: memref<8xf32>):
  %v = memref.load %s[%c0] : memref<8xf32>
  return %v : f32
}

func.func @sized(%A: memref<?xf32>, %c: i1, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %s = scf.if %c -> (memref<?xf32>) {
    scf.yield %A : memref<?xf32>
  } else {
    %T = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%T : memref<?xf32>)
    scf.yield %T : memref<?xf32>
  }
  %v = memref.load %s[%c0] : memref<?xf32>
  return %v : f32
}

func.func @copied(%A: memref<8xf32>, %B: memref<8xf32>, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %s = scf.if %c -> (memref<8xf32>) {
    %T = memref.alloc() : memref<8xf32>
    memref.copy %A, %T : memref<8xf32> to memref<8xf32>
    scf.yield %T : memref<8xf32>
  } else {
    scf.yield %B : memref<8xf32>
  }
  scf.if %c {
    memref.copy %s, %B : memref<8xf32> to memref<8xf32>
  }
  %v = memref.load %B[%c0] : memref<8xf32>
  return %v : f32
}
