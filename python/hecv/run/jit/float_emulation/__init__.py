"""Emulation of float formats and rounding modes that LLVM lacks."""
