"""A law about a function of which hecv knows nothing."""

from hecv.rules import arith, law, math


@law
def even_cosine(x):
    return math.cos(arith.negf(x)), math.cos(x)
