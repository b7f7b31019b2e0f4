// Convolution with stride U = 2: out_F[n][k][p][q] += W[k][c][r][s] * inp_F[n][c][U*p+NR-r-1][U*q+NS-s-1].
// Source: the definition of cnn_forward in PolyBench-NN.
// All sizes are arguments. The stride is no size and stays constant: NU*p would not be affine.

func.func @cnn_forward(%nn: index, %nk: index, %np: index, %nq: index, %nc: index, %nr: index, %ns: index,
                       %out_F: memref<?x?x?x?xf64>, %W: memref<?x?x?x?xf64>, %inp_F: memref<?x?x?x?xf64>) {
  affine.for %n = 0 to %nn {
    affine.for %k = 0 to %nk {
      affine.for %p = 0 to %np {
        affine.for %q = 0 to %nq {
          affine.for %c = 0 to %nc {
            affine.for %r = 0 to %nr {
              affine.for %s = 0 to %ns {
                %out = affine.load %out_F[%n, %k, %p, %q] : memref<?x?x?x?xf64>
                %w = affine.load %W[%k, %c, %r, %s] : memref<?x?x?x?xf64>
                %in = affine.load %inp_F[%n, %c, 2 * %p - %r + symbol(%nr) - 1, 2 * %q - %s + symbol(%ns) - 1] : memref<?x?x?x?xf64>
                %product = arith.mulf %w, %in : f64
                %sum = arith.addf %out, %product : f64
                affine.store %sum, %out_F[%n, %k, %p, %q] : memref<?x?x?x?xf64>
              }
            }
          }
        }
      }
    }
  }
  return
}
