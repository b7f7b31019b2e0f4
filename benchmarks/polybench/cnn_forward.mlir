// Convolution with stride U = 2: out_F[n][k][p][q] += W[k][c][r][s] * inp_F[n][c][U*p+NR-r-1][U*q+NS-s-1].
// Source: the definition of cnn_forward in PolyBench-NN.
// NP = 17, NQ = 19; the five other sizes are 3 or 5, because seven loops of 17 would be 4e8 iterations.

func.func @cnn_forward(%out_F: memref<5x3x17x19xf64>, %W: memref<3x3x3x5xf64>, %inp_F: memref<5x3x35x41xf64>) {
  affine.for %n = 0 to 5 {
    affine.for %k = 0 to 3 {
      affine.for %p = 0 to 17 {
        affine.for %q = 0 to 19 {
          affine.for %c = 0 to 3 {
            affine.for %r = 0 to 3 {
              affine.for %s = 0 to 5 {
                %out = affine.load %out_F[%n, %k, %p, %q] : memref<5x3x17x19xf64>
                %w = affine.load %W[%k, %c, %r, %s] : memref<3x3x3x5xf64>
                %in = affine.load %inp_F[%n, %c, 2 * %p - %r + 2, 2 * %q - %s + 4] : memref<5x3x35x41xf64>
                %product = arith.mulf %w, %in : f64
                %sum = arith.addf %out, %product : f64
                affine.store %sum, %out_F[%n, %k, %p, %q] : memref<5x3x17x19xf64>
              }
            }
          }
        }
      }
    }
  }
  return
}
