"""Saturation: laws compiled to rules, limits, and one question at a time."""
