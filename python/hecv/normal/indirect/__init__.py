"""Accesses at subscripts from memory: gathers, scatters, sparse rows (CSR)."""
