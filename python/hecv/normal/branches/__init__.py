"""Branches: if-conversion, condition splitting, selects in subscripts and updates."""
