"""Equations between terms: what a law is."""
