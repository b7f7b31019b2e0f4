"""Subtraction does not commute."""

from hecv.rules import law


@law
def commuted(x, y):
    return x - y, y - x
