"""A function of a choice is a choice of the function, whatever function of one value it is."""

from hecv.rules import arith, pattern, rule, unary_pointwise


@pattern
def chosen(c, x, y, f):
    assert f in unary_pointwise
    return arith.select(c, f(x), f(y))


@rule(chosen)
def after_choice(c, x, y, f):
    return f(arith.select(c, x, y))
