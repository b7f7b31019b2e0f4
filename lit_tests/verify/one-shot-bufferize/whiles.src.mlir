func.func @fill(%t: tensor<?xi32>, %x: i32) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?xi32>
  %r:2 = scf.while (%a = %t, %i = %c0) : (tensor<?xi32>, index) -> (tensor<?xi32>, index) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %a, %i : tensor<?xi32>, index
  } do {
  ^bb0(%a: tensor<?xi32>, %i: index):
    %b = tensor.insert %x into %a[%i] : tensor<?xi32>
    %j = arith.addi %i, %c1 : index
    scf.yield %b, %j : tensor<?xi32>, index
  }
  return %r#0 : tensor<?xi32>
}
func.func @until(%t: tensor<?xi32>) -> (tensor<?xi32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%a = %t, %i = %c0) : (tensor<?xi32>, index) -> (tensor<?xi32>, index) {
    %old = tensor.extract %a[%i] : tensor<?xi32>
    %b = tensor.insert %zero into %a[%i] : tensor<?xi32>
    %more = arith.cmpi ne, %old, %zero : i32
    scf.condition(%more) %b, %i : tensor<?xi32>, index
  } do {
  ^bb0(%a: tensor<?xi32>, %i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %a, %j : tensor<?xi32>, index
  }
  return %r#0, %r#1 : tensor<?xi32>, index
}
