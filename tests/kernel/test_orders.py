"""Terms that are one polynomial in each order of what they compare: what is said to be equal is so for all values."""

from random import Random
from typing import Final

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import BOOL, IntType
from hecv.kernel.terms.order_cases import EXTREMA, same
from hecv.run.evaluation.exhaustive_evaluation import equal_everywhere

PREDICATES: Final = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
WIDTHS: Final = (1, 2, 4)
RINGS: Final = tuple(f"arith.{name}" for name in ("addi", "subi", "muli", "andi", "ori", "xori"))
BY_LITERALS: Final = tuple(f"arith.{name}" for name in ("divui", "remui", "shrui", "shli"))


class Terms:
    """Makes terms; the leaves of a width are numbered."""

    def __init__(self) -> None:
        self.pool: Final = TermPool()

    def leaf(self, width: int, number: int = 0) -> Term:
        return self.pool.make("leaf", (), IntType(width), (("number", 3 * width + number), ("proper", True)))

    def literal(self, width: int, value: int) -> Term:
        return self.pool.make("const", (), IntType(width), (("value", value % (1 << width)),))

    def make(self, op: str, *args: Term, type_: IntType | None = None) -> Term:
        return self.pool.make(f"arith.{op}", args, type_ or args[-1].type)

    def compare(self, predicate: str, *args: Term) -> Term:
        return self.pool.make("arith.cmpi", args, BOOL, (("predicate", predicate),))

    def random(self, random: Random, depth: int, width: int) -> Term:
        def inner(other: int = width) -> Term:
            return self.random(random, depth - 1, other)

        if depth == 0 or random.random() < 0.1:
            value = random.randrange(1 << width)
            return self.leaf(width, random.randrange(2 if width < 4 else 1)) if value else self.literal(width, value)
        match random.randrange(6 if width > 1 else 7):
            case 0:
                return self.make("select", inner(1), inner(), inner())
            case 1:
                return self.pool.make(random.choice([*EXTREMA]), (inner(), inner()), IntType(width))
            case 2:
                by = self.literal(width, random.choice((0, 1, 2, 1 << width >> 1)))
                return self.pool.make(random.choice(BY_LITERALS), (inner(), by), IntType(width))
            case 3:
                other = random.choice([w for w in WIDTHS if w != width])
                cast = "trunci" if other > width else random.choice(("extsi", "extui"))
                return self.make(cast, inner(other), type_=IntType(width))
            case 6:
                other = random.choice(WIDTHS)
                return self.compare(random.choice(PREDICATES), inner(other), inner(other))
            case _:
                return self.pool.make(random.choice(RINGS), (inner(), inner()), IntType(width))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(8))
def test_what_is_the_same_is_equal_for_all_values(seed: int) -> None:
    random, equal = Random(seed), 0
    for _ in range(30):
        made, width = Terms(), random.choice(WIDTHS)
        terms = [made.random(random, random.choice((1, 2, 2, 3)), width) for _ in range(8)]
        pairs = [(a, b) for i, a in enumerate(terms) for b in terms[:i] if a is not b and same(a, b, 64)]
        assert all(equal_everywhere(a, b) is not False for a, b in pairs), pairs
        equal += len(pairs)
    assert equal > 10


def test_extrema_are_selections() -> None:
    t = Terms()
    x, y, z = (t.leaf(64, k) for k in range(3))
    least, greatest = t.make("minsi", x, y), t.make("maxui", x, y)
    assert same(least, t.make("select", t.compare("slt", y, x), y, x), 64)
    assert same(greatest, t.make("select", t.compare("ule", y, x), x, y), 64)
    assert not same(least, t.make("select", t.compare("ult", y, x), y, x), 64)
    assert not same(least, t.make("maxsi", x, y), 64)
    assert same(t.make("minsi", least, z), t.make("minsi", y, t.make("minsi", z, x)), 64)
    assert same(t.make("addi", least, t.make("maxsi", x, y)), t.make("addi", y, x), 64)
    assert not same(t.make("addi", least, greatest), t.make("addi", y, x), 64)


def test_literals_have_an_order_with_a_sign_and_one_without() -> None:
    t = Terms()
    x, few, many = t.leaf(8), t.literal(8, 1), t.literal(8, 255)
    assert same(t.make("maxsi", few, many), few, 64) and same(t.make("maxui", few, many), many, 64)
    assert not same(t.make("maxsi", x, many), t.make("maxui", x, many), 64)


def test_a_truth_value_that_selects_is_one_of_two() -> None:
    t = Terms()
    c, x, y = t.leaf(1), t.leaf(32, 0), t.leaf(32, 1)
    mask, differ = t.make("extsi", c, type_=IntType(32)), t.make("xori", x, y)
    chosen = t.make("select", c, x, y)
    assert same(t.make("xori", t.make("andi", mask, differ), y), chosen, 64)
    assert not same(t.make("xori", t.make("andi", mask, differ), x), chosen, 64)
    assert not same(t.make("xori", t.make("andi", t.make("extui", c, type_=IntType(32)), differ), y), chosen, 64)


def test_numbers_that_are_equal_are_not_made_of_each_other() -> None:
    """`x = x * x` in one case: to put the product in the place of `x` would never end."""
    t = Terms()
    x = t.leaf(32)
    square = t.make("muli", x, x)
    four = t.make("muli", square, square)
    assert not same(t.make("maxui", x, square), t.make("maxui", square, t.make("maxui", four, x)), 64)


def test_powers_of_two_divide_by_their_bits() -> None:
    t = Terms()
    x, eight = t.leaf(32), t.literal(32, 8)
    assert same(t.make("divui", x, eight), t.make("shrui", x, t.literal(32, 3)), 64)
    assert same(t.make("remui", x, eight), t.make("andi", x, t.literal(32, 7)), 64)
    assert same(t.make("andi", x, eight), t.make("subi", x, t.make("andi", x, t.literal(32, -9))), 64)
    for wrong in (t.make("shrui", x, eight), t.make("divsi", x, eight), t.make("divui", x, t.literal(32, 6))):
        assert not same(t.make("divui", x, eight), wrong, 64)
    assert not same(t.make("shrui", x, t.literal(32, 32)), t.make("divui", x, t.literal(32, 1)), 64)
