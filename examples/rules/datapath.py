"""Laws of an integer datapath, each audited before it is used in a proof.

hecv rules --audit --rules examples/rules/datapath.py
hecv check SRC TGT --rules examples/rules/datapath.py
"""

from hecv.rules import arith, is_power_of_two, law, log2


@law
def square_of_sum(x, y):
    return (x + y) * (x + y), x * x + 2 * x * y + y * y


@law
def difference_of_squares(x, y):
    return (x + y) * (x - y), x * x - y * y


@law
def or_by_sum(x, y):
    return x | y, (x & y) + (x ^ y)


@law
def add_by_halves(x, y):
    return x + y, (x ^ y) + 2 * (x & y)


@law
def power_as_shift(x, c):
    assert is_power_of_two(c.value)
    return x * c, x << log2(c.value)


@law
def multiple_by_shifts(x):
    return x * 10, (x << 3) + (x << 1)


@law
def clear_lowest_bit(x):
    return x & (x - 1), x - (x & -x)


@law
def select_by_mask(x, y):
    m = arith.shrsi(x, x.width - 1)
    return arith.select(arith.cmpi(x, 0, predicate="slt"), y, 0), m & y
