"""The machine that finds matches, and whether a definition makes sense to it."""
