"""Vectors, tensors and constants as values, read element by element."""
