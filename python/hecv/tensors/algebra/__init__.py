"""The algebra of comprehensions over the reals: normal forms, and proofs that two comprehensions are equal."""
