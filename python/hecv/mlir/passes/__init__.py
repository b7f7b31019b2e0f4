"""Running compiler passes one by one, by the bindings or by a tool such as mlir-opt."""
