"""Checks of proofs over the real numbers."""
