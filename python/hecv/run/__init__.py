"""Execution on concrete values: the reference interpreter, and MLIR's JIT as a second opinion."""
