"""Preconditions that a source states: assertions, positive divisors, rows in bounds."""
