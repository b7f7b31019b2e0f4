// Tensors that a branch or a select chooses: memrefs of which a condition says which they are.

func.func @branch(%c: i1, %A: tensor<8xf32>, %x: f32, %i: index) -> tensor<8xf32> {
  %r = scf.if %c -> tensor<8xf32> {
    %u = tensor.insert %x into %A[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  } else {
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %f : tensor<8xf32>
  }
  %v = tensor.extract %r[%i] : tensor<8xf32>
  %w = arith.addf %v, %v : f32
  %t = tensor.insert %w into %r[%i] : tensor<8xf32>
  return %t : tensor<8xf32>
}

func.func @select(%c: i1, %A: tensor<8xf32>, %B: tensor<8xf32>, %i: index) -> f32 {
  %r = arith.select %c, %A, %B : tensor<8xf32>
  %v = tensor.extract %r[%i] : tensor<8xf32>
  return %v : f32
}

func.func @either(%c: i1, %A: tensor<8xf32>, %B: tensor<8xf32>, %x: f32, %i: index) -> tensor<8xf32> {
  %r = scf.if %c -> tensor<8xf32> {
    %u = tensor.insert %x into %A[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  } else {
    %u = tensor.insert %x into %B[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
