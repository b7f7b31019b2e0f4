"""Aliasing: which memory a memref may be when it is selected, carried by loops, or returned."""
