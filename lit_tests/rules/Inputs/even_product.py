"""The product of two neighbours is even: no law of the book says so."""

from hecv.rules import law


@law
def even_product(x):
    return (x * (x + 1)) & 1, 0
