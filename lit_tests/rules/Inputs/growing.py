"""True, and without end: each sum makes another."""

from hecv.rules import law


@law
def shifting(x, y):
    return x + y, (x + 3) + (y - 3)
