"""The matching machine, and whether a definition is well-formed for it."""
