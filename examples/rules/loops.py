"""Transformations of loops that hecv does not know by itself.

A rule only proposes what a nest becomes: that an instance is right is shown where it is used. Its conditions say when
the two sides are the same; running them on random loops audits that.

    hecv rules --audit --rules examples/rules/loops.py
    hecv check histogram.mlir histogram.backwards.mlir --engine theorems --rules examples/rules/loops.py -v
"""

from hecv.rules import Body, Bound, Number, in_order, independent, loop, loop_rule


@loop_rule
def backwards(a: Bound, b: Bound, S: Body):
    """The last iteration first."""
    assert in_order()
    return loop(a, b, lambda i: S(i)), loop(0, b - a, lambda k: S(b - 1 - k))


@loop_rule
def even_then_odd(b: Bound, S: Body):
    """Red and black: the iterations with an even number first."""
    assert in_order()
    evens, odds = loop(0, b, lambda i: S(i), step=2), loop(1, b, lambda i: S(i), step=2)
    return loop(0, b, lambda i: S(i)), (evens, odds)


@loop_rule
def skewed(n: Bound, a: Bound, b: Bound, S: Body):
    """The inner loop begins later in each iteration of the outer one: the first step to a wavefront."""
    straight = loop(0, n, lambda t: loop(a, b, lambda i: S(t, i)))
    return straight, loop(0, n, lambda t: loop(a + t, b + t, lambda x: S(t, x - t)))


@loop_rule
def split_by_statement(a: Bound, b: Bound, S: Body, T: Body):
    """Two parts of a body that have nothing to do with each other, each in a loop of its own, the second one first."""
    assert independent(S, T)
    return loop(a, b, lambda i: (S(i), T(i))), (loop(a, b, lambda i: T(i)), loop(a, b, lambda i: S(i)))


@loop_rule
def jammed(n: Bound, c: Bound, d: Bound, S: Body, k: Number = (2, 3, 4, 8)):
    """The outer loop unrolled, and its copies put together inside the inner one."""
    assert n >= 0
    assert n % k == 0
    assert in_order()
    nest = loop(0, n, lambda i: loop(c, d, lambda j: S(i, j)))
    copies = loop(0, n, lambda i: loop(c, d, lambda j: loop(i, i + k, lambda q: S(q, j))), step=k)
    return nest, copies
