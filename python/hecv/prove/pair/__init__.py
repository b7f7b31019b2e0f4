"""The pair under decision, what it is asked to show, and what a prover is."""
