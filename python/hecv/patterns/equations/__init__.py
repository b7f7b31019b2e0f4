"""Equations between terms: the form of a law."""
