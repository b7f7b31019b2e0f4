"""Data-dependent accesses: gathers, scatters, sparse row (CSR) loops."""
