"""Rewrites that prepare a module for MLIR's lowering to LLVM."""
