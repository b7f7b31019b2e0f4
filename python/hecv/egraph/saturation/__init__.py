"""Saturation: laws compiled to rules, limits, and one goal at a time."""
