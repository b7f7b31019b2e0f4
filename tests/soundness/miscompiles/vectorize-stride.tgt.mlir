// The lanes of an access of stride 4 are written next to each other.
// expect: value
func.func @sparse(%m: memref<40xf32>, %x: f32) {
  %v = vector.broadcast %x : f32 to vector<4xf32>
  affine.for %i = 0 to 8 step 4 {
    %k = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    vector.transfer_write %v, %m[%k] : vector<4xf32>, memref<40xf32>
  }
  return
}
