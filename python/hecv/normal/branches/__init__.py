"""Branches: if-conversion, splitting of conditions, selects of subscripts."""
