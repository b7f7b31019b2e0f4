"""The theorems, by family."""
