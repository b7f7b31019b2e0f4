"""Proofs by loop theorems."""
