"""Runs compiler passes one by one, through MLIR's bindings or a tool such as mlir-opt."""
