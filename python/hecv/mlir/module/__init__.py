"""Modules: parsing, source text, symbols, and guards against texts that MLIR's parser does not survive."""
