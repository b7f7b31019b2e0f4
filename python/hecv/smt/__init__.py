"""Z3: the meaning of ops as formulas, and the queries asked about them. Only this folder imports Z3."""
