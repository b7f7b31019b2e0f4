// llvm-project issue 225247: the lanes of a loop of step 3 are written next to each other.
// expect: value
func.func @every_third(%m: memref<24xi32>) {
  %ones = arith.constant dense<1> : vector<4xi32>
  affine.for %i = -4 to 8 step 12 {
    %k = affine.apply affine_map<(d0) -> (d0 + 8)>(%i)
    vector.transfer_write %ones, %m[%k] {in_bounds = [true]} : vector<4xi32>, memref<24xi32>
  }
  return
}
