"""Checks of term proofs: congruence closure, instances of laws, lemmas given to solvers."""
