"""Cuts and fingerprints: small windows of two terms, and the values that tell them apart."""
