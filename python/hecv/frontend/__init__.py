"""Reading programs: the only layer that imports MLIR's bindings; what leaves it is plain data."""
