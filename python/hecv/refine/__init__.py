"""Distributed refinement: can the results of a sequential model be rebuilt from those of all ranks (GraphGuard)."""
