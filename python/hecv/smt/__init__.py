"""Z3: the meaning of ops as formulas, and the questions put to it. The only place that imports Z3."""
