func.func @twice(%k: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c20 = arith.constant 20 : i32
  %r:3 = scf.while (%s = %c0) : (i32) -> (i32, i32, i32) {
    %c = arith.cmpi slt, %s, %k : i32
    %v = scf.if %c -> i32 {
      %n = arith.addi %s, %c2 : i32
      scf.yield %n : i32
    } else {
      scf.yield %c20 : i32
    }
    scf.condition(%c) %v, %v, %s : i32, i32, i32
  } do {
  ^bb0(%a: i32, %b: i32, %o: i32):
    scf.yield %b : i32
  }
  return %r#2 : i32
}
