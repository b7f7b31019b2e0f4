// A nest between calls that may see and change what it works on, and a nest in a loop with calls.
func.func private @tick()
func.func private @show(memref<?x?xf32>, index)

func.func @between(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?xf32>
  func.call @tick() : () -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %v = affine.load %A[%i, %j] : memref<?x?xf32>
      %w = arith.mulf %v, %v : f32
      affine.store %w, %A[%i, %j] : memref<?x?xf32>
    }
  }
  func.call @show(%A, %n) : (memref<?x?xf32>, index) -> ()
  return
}

func.func @within(%A: memref<16x16xf32>, %t: index) {
  affine.for %k = 0 to %t {
    affine.for %i = 0 to 16 {
      affine.for %j = 0 to 16 {
        %v = affine.load %A[%i, %j] : memref<16x16xf32>
        %w = arith.mulf %v, %v : f32
        affine.store %w, %A[%i, %j] : memref<16x16xf32>
      }
    }
    func.call @tick() : () -> ()
  }
  return
}
