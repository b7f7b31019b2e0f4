"""Reads one function: SSA values as terms, types, affine maps, scalar ops."""
