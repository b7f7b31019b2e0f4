"""Aggregates: vectors, tensors and constants as values that are read element by element."""
