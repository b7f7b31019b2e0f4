"""Checks of proofs by array dataflow, step by step."""
