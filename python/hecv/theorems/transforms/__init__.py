"""The loop theorems, by family."""
