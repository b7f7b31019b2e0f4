"""Checks of proofs about terms: congruence closure, instances of laws, lemmas given to solvers."""
