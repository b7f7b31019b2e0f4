"""Memory: dead stores, copy propagation, delinearization, array values, external calls."""
