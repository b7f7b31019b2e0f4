"""Restricted runs whose difference refutes: exact floats, float intervals, or no nondeterministic choice."""
