"""Functions as SSA graphs that can be edited and printed: what `hecv rewrite` works on."""
