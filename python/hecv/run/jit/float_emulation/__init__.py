"""Floats and roundings that LLVM does not have, as others that it has."""
