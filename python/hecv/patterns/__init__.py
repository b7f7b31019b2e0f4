"""The rule language: patterns with alternates, recursion, function variables, guards and match constraints (PYPM)."""
