"""Proofs about a pair that was changed first: unrolled, with assertions, with positive divisors."""
