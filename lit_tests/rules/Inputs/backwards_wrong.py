"""A loop backwards that leaves out its first iteration."""

from hecv.rules import Body, Bound, in_order, loop, loop_rule


@loop_rule
def backwards(a: Bound, b: Bound, S: Body):
    assert in_order()
    return loop(a, b, lambda i: S(i)), loop(0, b - a - 1, lambda k: S(b - 1 - k))
