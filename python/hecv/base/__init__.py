"""Terms, types, values, diagnostics, and the theory in which ops are defined: imported by every other folder."""
