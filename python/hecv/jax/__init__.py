"""Capture of JAX functions as MLIR. Only this folder imports JAX."""
