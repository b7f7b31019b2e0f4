"""Modules: parsing, source text, symbols, and repairs of what MLIR's parser does not survive."""
