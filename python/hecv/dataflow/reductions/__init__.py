"""Reductions: chains of one associative operator, compared as multisets."""
