"""The pattern calculus: syntax, guards, types, and the declarative match relation (PYPM, section 3)."""
