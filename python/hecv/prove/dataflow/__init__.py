"""Proofs by array dataflow, or by one normal form, with their certificates."""
