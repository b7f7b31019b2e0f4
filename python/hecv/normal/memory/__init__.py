"""Memory: dead stores, copy propagation, delinearization, arrays as values, external calls."""
