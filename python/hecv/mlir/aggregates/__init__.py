"""Ops on vectors, tensors and complex numbers, and the structured ops of `linalg`."""
