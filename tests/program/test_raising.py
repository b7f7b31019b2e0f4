"""Raised terms have the value of the terms they come from, by the ops' own semantics, where the facts hold."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL, INDEX, IntType, ScalarType
from hecv.program.index import quasi_affine
from hecv.program.index.index_conditions import assumed, conjuncts, wrapping
from hecv.program.index.index_ranges import NOTHING, Facts
from hecv.program.index.raising import Raiser

NAMES = 3
HALF = 1 << 63
MASKS = (0, 1, 3, 4, 6, 7, 15, 5, 21, -1, -4, -7, -22)
SMALL = st.integers(-12, 12)
DIVISORS = st.integers(1, 9)


class Trap(Exception):
    """A division that is undefined, or arithmetic that overflows."""


EXACT = frozenset({"arith.addi", "arith.subi", "arith.muli", "arith.shli"})


def value(term: Term, values: tuple[int, ...], exact: bool = True) -> int:
    """The value of a term where argument k is `values[k]`; sums, differences, products and shifts left on index are
    exact, and assumed not to overflow, or wrap at 64 bits as all else does: the unsigned value of -1 is no index.

    A `select` computes only the operand it chooses, so a division that the other one holds does not trap.
    """
    known = literal(term)
    if isinstance(known, int):
        return signed(known, term.type)
    if term.op == "arg":
        number = term.attr("number")
        assert isinstance(number, int)
        return values[number]
    if term.op == "arith.select":
        chosen = term.args[1] if value(term.args[0], values, exact) else term.args[2]
        return value(chosen, values, exact)
    numbers = [value(a, values, exact) for a in term.args]
    result = apply(term, numbers)
    if exact and term.op in EXACT and not -HALF <= result < HALF:
        raise Trap
    unbounded = term.op.startswith("affine.") or (exact and term.op in EXACT)
    return result if unbounded else signed(result % (2 * HALF), IntType(64))


def apply(term: Term, numbers: list[int]) -> int:
    match term.op, numbers:
        case "affine.linear", _:
            constant, coefficients = term.attr("constant"), term.attr("coefficients")
            assert isinstance(constant, int) and isinstance(coefficients, tuple)
            return constant + sum(c * n for c, n in zip(coefficients, numbers, strict=True))
        case "affine.floordiv", [a]:
            divisor = term.attr("divisor")
            assert isinstance(divisor, int)
            return a // divisor
        case "affine.quotient", [a, b]:
            return a // divisor_of(b)
        case "affine.max" | "arith.maxsi", _:
            return max(numbers)
        case "affine.min" | "arith.minsi", _:
            return min(numbers)
        case "arith.addi", [a, b]:
            return a + b
        case "arith.subi", [a, b]:
            return a - b
        case "arith.muli" | "affine.mul", [a, b]:
            return a * b
        case "arith.shli", [a, b]:
            return a << b
        case "arith.shrsi", [a, b]:
            return a >> b
        case "arith.shrui", [a, b]:
            return a % (2 * HALF) >> b
        case "arith.andi", [a, b]:
            return a & b
        case "arith.ori", [a, b]:
            return a | b
        case "arith.xori", [a, b]:
            return a ^ b
        case "arith.divsi", [a, b]:
            return truncated(a, b)
        case "arith.remsi", [a, b]:
            return a - b * truncated(a, b)
        case "arith.divui", [a, b]:
            return a % (2 * HALF) // divisor_of(b)
        case "arith.remui", [a, b]:
            return a % (2 * HALF) % divisor_of(b)
        case "arith.floordivsi", [a, b]:
            return a // divisor_of(b)
        case "arith.ceildivsi", [a, b]:
            return -(-a // divisor_of(b))
        case "arith.cmpi", [a, b]:
            return compare(str(term.attr("predicate")), a, b)
        case "arith.index_cast" | "arith.extsi" | "arith.trunci", [a]:
            return signed(a, term.type)
        case other:
            raise AssertionError(other)


def signed(number: int, kind: ScalarType) -> int:
    """The signed value of the residue of an `iN`; an index or an i1 as it is."""
    if not isinstance(kind, IntType) or kind == BOOL:
        return number
    half = 1 << (kind.width - 1)
    return (number + half) % (2 * half) - half


def divisor_of(number: int) -> int:
    if number <= 0:
        raise Trap
    return number


def truncated(a: int, b: int) -> int:
    if b == 0:
        raise Trap
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def compare(predicate: str, a: int, b: int) -> int:
    if predicate[0] == "u":
        a, b, predicate = a % (2 * HALF), b % (2 * HALF), "s" + predicate[1:]
    return int({"eq": a == b, "ne": a != b, "slt": a < b, "sle": a <= b, "sgt": a > b, "sge": a >= b}[predicate])


class Maker:
    """Writes terms the way programs do, with lowered divisions among them."""

    def __init__(self, pool: TermPool) -> None:
        self.pool = pool
        self.arguments = [pool.argument(k, INDEX) for k in range(NAMES)]

    def op(self, name: str, *args: Term) -> Term:
        return self.pool.make(f"arith.{name}", args, args[-1].type)

    def compare(self, predicate: str, a: Term, b: Term) -> Term:
        return self.pool.make("arith.cmpi", (a, b), BOOL, (("predicate", predicate),))

    def number(self, n: int) -> Term:
        return self.pool.integer(n)

    def floordiv(self, a: Term, by: Term) -> Term:
        """What `lower-affine` makes of `a floordiv by`."""
        negative, minus = self.compare("slt", a, self.number(0)), self.number(-1)
        quotient = self.op("divsi", self.op("select", negative, self.op("subi", minus, a), a), by)
        return self.op("select", negative, self.op("subi", minus, quotient), quotient)

    def ceildiv(self, a: Term, by: Term) -> Term:
        """What `lower-affine` makes of `a ceildiv by`."""
        low, zero, one = self.compare("sle", a, self.number(0)), self.number(0), self.number(1)
        dividend = self.op("select", low, self.op("subi", zero, a), self.op("subi", a, one))
        quotient = self.op("divsi", dividend, by)
        return self.op("select", low, self.op("subi", zero, quotient), self.op("addi", quotient, one))

    def mod(self, a: Term, by: Term) -> Term:
        """What `lower-affine` makes of `a mod by`."""
        rest = self.op("remsi", a, by)
        return self.op("select", self.compare("slt", rest, self.number(0)), self.op("addi", rest, by), rest)


KINDS = (
    *("leaf", "const", "addi", "subi", "muli", "maxsi", "minsi", "choose", "mask", "shift"),
    *("divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi", "floordiv", "ceildiv", "mod", "narrow"),
)


def draw_divisor(draw: st.DrawFn, make: Maker) -> Term:
    return make.arguments[-1] if draw(st.booleans()) else make.number(draw(DIVISORS))


def draw_term(draw: st.DrawFn, make: Maker, depth: int) -> Term:
    kind = draw(st.sampled_from(KINDS)) if depth else "leaf"
    if kind == "leaf":
        return make.arguments[draw(st.integers(0, NAMES - 1))]
    if kind == "const":
        return make.number(draw(SMALL))
    left = draw_term(draw, make, depth - 1)
    match kind:
        case "mask":
            name = draw(st.sampled_from(("andi", "ori", "xori")))
            return make.op(
                name, left, make.number(draw(st.sampled_from((0, 1, 3, 4, 6, 7, 15, 5, 21, -1, -4, -7, -22))))
            )
        case "shift":
            name = draw(st.sampled_from(("shli", "shrsi", "shrui")))
            return make.op(name, left, make.number(draw(st.integers(0, 3))))
        case "floordiv" | "ceildiv" | "mod":
            return getattr(make, kind)(left, draw_divisor(draw, make))
        case "divsi" | "remsi" | "divui" | "remui" | "floordivsi" | "ceildivsi":
            return make.op(kind, left, draw_divisor(draw, make))
        case "narrow":
            small = make.pool.make("arith.index_cast", (left,), IntType(5))
            return make.pool.make("arith.index_cast", (small,), INDEX)
        case _:
            pass
    right = draw_term(draw, make, depth - 1)
    if kind != "choose":
        return make.op(kind, left, right)
    predicate = draw(st.sampled_from(("slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "eq", "ne")))
    one, other = (draw_term(draw, make, depth - 1) for _ in range(2))
    return make.op("select", make.compare(predicate, left, right), one, other)


@st.composite
def cases(draw: st.DrawFn) -> tuple[TermPool, Term, Facts, tuple[int, ...]]:
    """A term, facts about the arguments, and values for which they hold."""
    make = Maker(TermPool())
    values = tuple(draw(st.integers(-30, 30)) for _ in range(NAMES))
    forms: list[Term] = []
    if draw(st.booleans()):  # a divisor that is not known, but that it is positive
        values = (*values[:-1], draw(DIVISORS))
        forms.append(quasi_affine.combine(make.pool, -1, ((make.arguments[-1], 1),)))
    for _ in range(draw(st.integers(0, 3))):
        ops = st.sampled_from(("affine.min", "affine.max"))
        pair = tuple(draw(st.permutations(make.arguments))[:2])
        shifted = quasi_affine.combine(make.pool, draw(SMALL), ((pair[1], 1),))
        choice = quasi_affine.extremum(make.pool, draw(ops), (pair[0], shifted, make.number(draw(SMALL))))
        parts = tuple((a, draw(st.integers(-2, 2))) for a in (*make.arguments, choice))
        form = quasi_affine.combine(make.pool, 0, parts)
        forms.append(quasi_affine.combine(make.pool, draw(st.integers(0, 5)) - value(form, values), ((form, 1),)))
    return make.pool, draw_term(draw, make, 3), NOTHING.with_known(make.pool, *forms), values


@given(cases())
def test_raising_keeps_the_value(case: tuple[TermPool, Term, Facts, tuple[int, ...]]) -> None:
    pool, term, facts, values = case
    try:
        meant = value(term, values)
    except Trap:
        return
    assert value(Raiser(pool).index(term, facts), values) == meant


@given(cases(), st.tuples(*[st.integers(-HALF, HALF - 1)] * NAMES))
def test_raising_without_exact_arithmetic_keeps_the_value_of_what_wraps(
    case: tuple[TermPool, Term, Facts, tuple[int, ...]], values: tuple[int, ...]
) -> None:
    pool, term, _, _ = case
    try:
        meant = value(term, values, exact=False)
    except Trap:
        return
    assert value(Raiser(pool, exact=False).index(term), values, exact=False) == meant


@given(cases())
def test_raising_what_wraps_under_facts_keeps_its_value(case: tuple[TermPool, Term, Facts, tuple[int, ...]]) -> None:
    pool, term, facts, values = case
    try:
        meant = value(term, values, exact=False)
    except Trap:
        return
    raised = Raiser(pool, exact=False, index_width=64).index(term, facts)
    assert value(raised, values, exact=False) == meant


@given(cases())
def test_facts_show_only_what_holds(case: tuple[TermPool, Term, Facts, tuple[int, ...]]) -> None:
    pool, term, facts, values = case
    raised = Raiser(pool).index(term)
    if facts.nonnegative(pool, raised):
        assert value(raised, values) >= 0


@pytest.mark.one_in(2)
@given(cases(), st.booleans())
def test_what_a_condition_says_holds(case: tuple[TermPool, Term, Facts, tuple[int, ...]], holds: bool) -> None:
    pool, term, _, values = case
    make = Maker(pool)
    condition = make.op("andi", make.compare("slt", term, make.arguments[0]), make.compare("eq", term, term))
    raised = Raiser(pool).index(condition)
    try:
        assume(value(condition, values) == holds)
    except Trap:
        return
    assert all(value(form, values) >= 0 for form in conjuncts(pool, raised, holds))


@given(cases(), st.tuples(*[st.integers(-HALF, HALF - 1)] * NAMES))
def test_a_condition_is_right_where_what_it_requires_is_in_range(
    case: tuple[TermPool, Term, Facts, tuple[int, ...]], values: tuple[int, ...]
) -> None:
    """Modular and exact evaluation agree as soon as all of `wrapping` stays in the range of `index`."""
    pool, term, _, _ = case
    make = Maker(pool)
    condition = make.compare("slt", term, make.arguments[0])
    raiser = Raiser(pool)
    try:
        assume(all(-HALF <= value(raiser.index(t), values) < HALF for t in wrapping(condition)))
        assert value(raiser.index(condition), values) == value(condition, values, exact=False)
    except Trap:
        return


# What lowering makes of an affine expression is that expression again.


@pytest.mark.parametrize("by", [1, 2, 3, 8, 10**12])
def test_lowered_divisions_are_affine_again(by: int) -> None:
    pool = TermPool()
    make, raiser = Maker(pool), Raiser(pool)
    a = quasi_affine.combine(pool, -7, ((make.arguments[0], 3), (make.arguments[1], -2)))
    divisor = make.number(by)
    assert raiser.index(make.floordiv(a, divisor)) is quasi_affine.floordiv(pool, a, divisor)
    assert raiser.index(make.ceildiv(a, divisor)) is quasi_affine.ceildiv(pool, a, divisor)
    assert raiser.index(make.mod(a, divisor)) is quasi_affine.modulo(pool, a, divisor)


def test_lowered_divisions_of_lowered_divisions_are_affine_again() -> None:
    pool = TermPool()
    make, raiser = Maker(pool), Raiser(pool)
    lowered = meant = make.arguments[0]
    for by in (3, 4, 5, 6, 7, 8):
        lowered = make.floordiv(make.op("addi", lowered, make.arguments[1]), make.number(by))
        meant = quasi_affine.floordiv(pool, quasi_affine.add(pool, meant, make.arguments[1]), make.number(by))
    assert raiser.index(lowered) is meant


def test_a_division_by_a_variable_is_simple_where_nothing_is_negative() -> None:
    pool = TermPool()
    make = Maker(pool)
    a, m, _ = make.arguments
    known = Facts((a,))
    assert Raiser(pool).index(make.floordiv(a, m), known) is make.op("divsi", a, m)
    assert Raiser(pool).index(make.mod(a, m), known) is make.op("remsi", a, m)
    assert Raiser(pool).index(make.mod(a, m)).op == "arith.select"


def test_choices_are_extrema() -> None:
    pool = TermPool()
    make, raiser = Maker(pool), Raiser(pool)
    a, b, _ = make.arguments
    for predicate, op in (("slt", "affine.min"), ("sle", "affine.min"), ("sgt", "affine.max"), ("sge", "affine.max")):
        chosen = make.op("select", make.compare(predicate, a, b), a, b)
        assert raiser.index(chosen) is quasi_affine.extremum(pool, op, (a, b))


def test_poison_is_not_lost_in_a_choice() -> None:
    """`p < 0 ? 3 : 3` is poison where `p` is, and so is `p - p < 1 ? a : b`."""
    pool = TermPool()
    make, raiser = Maker(pool), Raiser(pool)
    a, b, _ = make.arguments
    p = pool.read(7, INDEX)
    same = make.op("select", make.compare("slt", p, make.number(0)), make.number(3), make.number(3))
    vanishing = make.op("select", make.compare("slt", make.op("subi", p, p), make.number(1)), a, b)
    for term in (same, vanishing):
        assert raiser.index(term).op == "arith.select"


def test_facts_look_through_extrema() -> None:
    """`0 <= i`, `0 <= j < min(8, n - i)`: a strip of `min(4, min(8, n - i) - j)` begins and ends within its tile."""
    pool = TermPool()
    make = Maker(pool)
    i, j, n = make.arguments
    tile = quasi_affine.extremum(pool, "affine.min", (make.number(8), quasi_affine.subtract(pool, n, i)))
    strip = quasi_affine.extremum(pool, "affine.min", (make.number(4), quasi_affine.subtract(pool, tile, j)))
    facts = NOTHING.with_known(pool, i, j, quasi_affine.combine(pool, -1, ((tile, 1), (j, -1))))
    assert facts.nonnegative(pool, quasi_affine.combine(pool, -1, ((strip, 1),)))
    assert facts.nonnegative(pool, quasi_affine.combine(pool, 0, ((tile, 1), (j, -1), (strip, -1))))
    assert facts.nonnegative(pool, quasi_affine.combine(pool, 0, ((n, 1), (i, -1), (j, -1), (strip, -1))))
    assert not facts.nonnegative(pool, quasi_affine.combine(pool, -1, ((tile, 1), (j, -1), (strip, -1))))
    assert not facts.nonnegative(pool, quasi_affine.combine(pool, -4, ((strip, 1),)))


def test_what_is_an_index_for_every_index() -> None:
    """`-1 - i` is; `-i` is not for the least index, `i + n` not for large ones; and no index is a small integer."""
    pool = TermPool()
    make = Maker(pool)
    i, n, _ = make.arguments
    assert NOTHING.is_index(pool, quasi_affine.combine(pool, -1, ((i, -1),)), 64)
    assert not NOTHING.is_index(pool, quasi_affine.combine(pool, 0, ((i, -1),)), 64)
    assert Facts((i,)).is_index(pool, quasi_affine.combine(pool, 0, ((i, -1),)), 64)
    assert not NOTHING.is_index(pool, quasi_affine.combine(pool, 1, ((i, 1),)), 64)
    assert not Facts((i, n)).is_index(pool, quasi_affine.add(pool, i, n), 64)
    assert not NOTHING.fits(pool, quasi_affine.combine(pool, -1, ((i, -1),)), 64)


def test_poison_is_not_lost_in_a_condition() -> None:
    """`true or p < 0` is poison where `p` is; `true and p < 0` is `p < 0`."""
    pool = TermPool()
    make, raiser = Maker(pool), Raiser(pool)
    true, false = pool.integer(1, BOOL), pool.integer(0, BOOL)
    poison = make.compare("slt", pool.read(7, INDEX), make.number(0))
    proper = make.compare("slt", make.arguments[0], make.number(0))
    for one, other in ((true, false), (false, true)):
        assert raiser.index(make.op("andi", one, proper)) is (proper if one is true else false)
        assert raiser.index(make.op("ori", proper, other)) is (proper if one is true else true)
    assert raiser.index(make.op("ori", true, poison)).op == "arith.ori"
    assert raiser.index(make.op("andi", poison, false)).op == "arith.andi"
    assert raiser.index(make.op("andi", poison, true)) is poison


def test_only_whole_sums_have_to_be_in_range() -> None:
    pool = TermPool()
    make = Maker(pool)
    i, n, _ = make.arguments
    inner = make.op("addi", i, n)
    whole = make.op("addi", inner, make.number(-10))
    assert wrapping(make.compare("sge", whole, make.number(0))) == (whole,)
    flagged = pool.make("arith.addi", (inner, i), INDEX, (("overflow", "nsw"),))
    assert wrapping(make.compare("sge", flagged, make.number(0))) == (inner, flagged)


def test_affine_expressions_are_assumed_only_where_nothing_in_them_wraps() -> None:
    pool = TermPool()
    make, raiser = Maker(pool), Raiser(pool)
    i, n, _ = make.arguments
    pure = quasi_affine.add(pool, i, n)
    mixed = quasi_affine.add(pool, make.op("addi", i, n), n)
    for term, expected in ((pure, (pure,)), (mixed, ())):
        condition = make.compare("sge", term, make.number(0))
        exact = tuple(raiser.index(t) for t in wrapping(condition))
        assert assumed(raiser.index(condition), exact) == expected
