"""The calculus of patterns: syntax, guards, types, and when a match is one (PYPM, section 3)."""
