"""Running programs on concrete values: the reference interpreter, and MLIR's JIT."""
