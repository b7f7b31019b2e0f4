"""Terms, types, values and diagnostics, on which everything else stands."""
