"""Ops with regions, control flow graphs, calls, parallel loops, atomics."""
