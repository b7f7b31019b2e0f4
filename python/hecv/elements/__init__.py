"""Symbolic execution of programs with known sizes: each output element as an expression over the input elements."""
