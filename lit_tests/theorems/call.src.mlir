func.func private @g(memref<?xf32>, index)
func.func @f(%A: memref<?xf32>) {
  affine.for %i = 0 to 11 {
    func.call @g(%A, %i) : (memref<?xf32>, index) -> ()
  }
  return
}
