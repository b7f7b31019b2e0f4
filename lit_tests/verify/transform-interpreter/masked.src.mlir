// Sums of rows of any size.

func.func @sums(%A: tensor<?x?xi32>, %o: tensor<?xi32>) -> tensor<?xi32> {
  %r = linalg.reduce ins(%A : tensor<?x?xi32>) outs(%o : tensor<?xi32>) dimensions = [1] (%a: i32, %b: i32) {
    %c = arith.addi %a, %b : i32
    linalg.yield %c : i32
  }
  return %r : tensor<?xi32>
}
