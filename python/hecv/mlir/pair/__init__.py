"""Pairwise reading: one function read in view of the other (bufferized targets, idle flags, operand order)."""
