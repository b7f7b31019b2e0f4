"""Loops that unrollers, tilers and coalescing made, undone."""
