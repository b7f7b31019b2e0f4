// HEC (USENIX ATC'25), Figure 1: a loop of NANDs over vectors of 101 elements.
func.func @nand(%A: memref<101xi1>, %B: memref<101xi1>, %C: memref<101xi1>) {
  %true = arith.constant true
  affine.for %i = 0 to 101 {
    %a = affine.load %A[%i] : memref<101xi1>
    %b = affine.load %B[%i] : memref<101xi1>
    %x = arith.andi %a, %b : i1
    %y = arith.xori %x, %true : i1
    affine.store %y, %C[%i] : memref<101xi1>
  }
  return
}
