"""Functions as formulas: full unrolling, transition systems, cutpoints."""
