// Stages of a transform in place, of which the subscripts are affine only stage by stage.

func.func @butterflies(%re: memref<8xf32>, %im: memref<8xf32>, %wr: memref<4xf32>, %wi: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %s = %c0 to %c3 step %c1 {
    %h = arith.shli %c1, %s : index
    %ws = arith.shrui %c4, %s : index
    scf.for %p = %c0 to %c4 step %c1 {
      %hi = arith.divui %p, %h : index
      %lo = arith.remui %p, %h : index
      %q = arith.shli %hi, %s : index
      %q2 = arith.addi %q, %q : index
      %i = arith.addi %q2, %lo : index
      %j = arith.addi %i, %h : index
      %t = arith.muli %lo, %ws : index
      %a = memref.load %wr[%t] : memref<4xf32>
      %b = memref.load %wi[%t] : memref<4xf32>
      %xr = memref.load %re[%i] : memref<8xf32>
      %xi = memref.load %im[%i] : memref<8xf32>
      %yr = memref.load %re[%j] : memref<8xf32>
      %yi = memref.load %im[%j] : memref<8xf32>
      %0 = arith.mulf %yr, %a : f32
      %1 = arith.mulf %yi, %b : f32
      %tr = arith.subf %0, %1 : f32
      %2 = arith.mulf %yr, %b : f32
      %3 = arith.mulf %yi, %a : f32
      %ti = arith.addf %2, %3 : f32
      %ur = arith.addf %xr, %tr : f32
      %ui = arith.addf %xi, %ti : f32
      %vr = arith.subf %xr, %tr : f32
      %vi = arith.subf %xi, %ti : f32
      memref.store %ur, %re[%i] : memref<8xf32>
      memref.store %ui, %im[%i] : memref<8xf32>
      memref.store %vr, %re[%j] : memref<8xf32>
      memref.store %vi, %im[%j] : memref<8xf32>
    }
  }
  return
}
