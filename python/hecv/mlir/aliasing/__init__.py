"""Which memory a memref value may be: selected, carried by loops, returned."""
