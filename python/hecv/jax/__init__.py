"""JAX functions as MLIR; the only place that imports JAX."""
