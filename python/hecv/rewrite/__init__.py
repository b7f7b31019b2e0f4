"""Greedy rewriting of programs by rules, and partitioning by patterns."""
