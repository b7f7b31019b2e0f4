"""How laws are written and printed."""
