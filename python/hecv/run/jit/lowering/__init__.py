"""Rewrites that make a module ready for MLIR's lowering to LLVM."""
