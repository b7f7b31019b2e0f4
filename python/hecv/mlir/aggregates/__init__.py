"""Ops on vectors, tensors and complex numbers; structured ops of `linalg`."""
