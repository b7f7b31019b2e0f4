// How many full tiles there are, and how large each is: index values that are stored and returned. Where their arithmetic
// overflows is no matter, as it is that of `affine`.

func.func @tiles(%n: index, %k: index, %sizes: memref<?xindex>) -> index {
  %count = affine.apply affine_map<(d0)[s0] -> ((d0 * 3 + s0) floordiv 16)>(%n)[%k]
  affine.for %t = 0 to %n {
    %size = affine.min affine_map<(d0)[s0] -> (s0 - d0 * 16, 16)>(%t)[%k]
    affine.store %size, %sizes[%t] : memref<?xindex>
  }
  return %count : index
}
