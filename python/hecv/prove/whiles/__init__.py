"""Proofs about loops that are not counted: induction over iterations, closed forms, exits."""
