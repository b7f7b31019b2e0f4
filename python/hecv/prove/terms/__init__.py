"""Proofs about scalar terms: laws, Z3, sweeping."""
