"""Index arithmetic in canonical form means what it says, over the exact integers; equal forms are one term."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import INDEX, IntType
from hecv.program.index import quasi_affine
from hecv.program.index.index_ranges import Facts
from hecv.program.index.raising import Raiser

NAMES = 3
SMALL = st.integers(-20, 20)
VALUES = st.tuples(*[st.integers(-50, 50)] * NAMES)


def evaluate(term: Term, values: tuple[int, ...]) -> int | None:
    """The exact value of an index term where argument k is `values[k]`; None where it is undefined."""
    args = [evaluate(a, values) for a in term.args]
    if any(a is None for a in args):
        return None
    numbers = [a for a in args if a is not None]
    match term.op:
        case "const":
            value = literal(term)
            assert isinstance(value, int)
            width = term.type.width if isinstance(term.type, IntType) else 0
            return value - (1 << width) if width and value >> (width - 1) else value
        case "arg":
            number = term.attr("number")
            assert isinstance(number, int)
            return values[number]
        case "affine.linear":
            constant, coefficients = term.attr("constant"), term.attr("coefficients")
            assert isinstance(constant, int) and isinstance(coefficients, tuple)
            return constant + sum(c * n for c, n in zip(coefficients, numbers, strict=True))
        case "affine.floordiv":
            divisor = term.attr("divisor")
            assert isinstance(divisor, int) and divisor > 0
            return numbers[0] // divisor
        case "affine.quotient":
            return numbers[0] // numbers[1] if numbers[1] > 0 else None
        case "affine.mul" | "arith.muli":
            return numbers[0] * numbers[1]
        case "affine.max" | "arith.maxsi":
            return max(numbers)
        case "affine.min" | "arith.minsi":
            return min(numbers)
        case "arith.addi":
            return numbers[0] + numbers[1]
        case "arith.subi":
            return numbers[0] - numbers[1]
        case "arith.floordivsi":
            return numbers[0] // numbers[1] if numbers[1] else None
        case "arith.ceildivsi":
            return -(-numbers[0] // numbers[1]) if numbers[1] else None
        case other:
            raise AssertionError(other)


class Recipes:
    """Draws terms of one pool, as trees of the functions under test, with what they mean."""

    def __init__(self, draw: st.DrawFn, values: tuple[int, ...]) -> None:
        self.draw = draw
        self.values = values
        self.pool = TermPool()
        self.arguments = [self.pool.argument(k, INDEX) for k in range(NAMES)]

    def term(self, depth: int) -> tuple[Term, int | None]:
        pool, draw = self.pool, self.draw
        kind = draw(st.sampled_from(["leaf", "const", "add", "sub", "mul", "floor", "mod", "ceil", "max", "min"]))
        if depth == 0 or kind == "leaf":
            k = draw(st.integers(0, NAMES - 1))
            return self.arguments[k], self.values[k]
        if kind == "const":
            number = draw(SMALL)
            return pool.integer(number), number
        left, a = self.term(depth - 1)
        right, b = self.term(depth - 1)
        if kind in ("floor", "mod", "ceil") and draw(st.booleans()):
            b = draw(st.integers(1, 9))
            right = pool.integer(b)
        made = {
            "add": quasi_affine.add,
            "sub": quasi_affine.subtract,
            "mul": quasi_affine.multiply,
            "floor": quasi_affine.floordiv,
            "mod": quasi_affine.modulo,
            "ceil": quasi_affine.ceildiv,
            "max": lambda p, x, y: quasi_affine.extremum(p, "affine.max", (x, y)),
            "min": lambda p, x, y: quasi_affine.extremum(p, "affine.min", (x, y)),
        }[kind](pool, left, right)
        if a is None or b is None or (kind in ("floor", "mod", "ceil") and b <= 0):
            return made, None
        meant = {"add": a + b, "sub": a - b, "mul": a * b, "max": max(a, b), "min": min(a, b)}
        if kind in meant:
            return made, meant[kind]
        return made, {"floor": a // b, "mod": a % b, "ceil": -(-a // b)}[kind]


@st.composite
def recipes(draw: st.DrawFn) -> tuple[Term, int | None, tuple[int, ...]]:
    values = draw(VALUES)
    term, meant = Recipes(draw, values).term(3)
    return term, meant, values


@pytest.mark.one_in(2)
@given(recipes())
def test_constructors_mean_what_they_say(recipe: tuple[Term, int | None, tuple[int, ...]]) -> None:
    """Where the meaning is undefined anything may come: an operand that cancels takes its division with it."""
    term, meant, values = recipe
    if meant is not None:
        assert evaluate(term, values) == meant


@given(recipes())
def test_forms_are_canonical(recipe: tuple[Term, int | None, tuple[int, ...]]) -> None:
    stack = [recipe[0]]
    while stack:
        term = stack.pop()
        stack.extend(term.args)
        if term.op == "affine.linear":
            form = quasi_affine.linear(term)
            assert all(t.op != "affine.linear" and (c or not quasi_affine.is_proper(t)) for t, c in form.terms)
            assert [t.id for t, _ in form.terms] == sorted({t.id for t, _ in form.terms})
            assert len(form.terms) > 1 or form.constant or form.terms[0][1] != 1
        if term.op == "affine.floordiv":
            form, divisor = quasi_affine.linear(term.args[0]), term.attr("divisor")
            assert isinstance(divisor, int) and divisor > 1 and 0 <= form.constant < divisor
            assert all(c % divisor for _, c in form.terms)


@given(st.data(), VALUES)
def test_sums_in_any_order_are_one_term(data: st.DataObject, values: tuple[int, ...]) -> None:
    pool = TermPool()
    parts = [pool.argument(k % NAMES, INDEX) for k in range(5)] + [pool.integer(3), pool.integer(-7)]
    order = data.draw(st.permutations(parts))
    first = second = pool.integer(0)
    for part in parts:
        first = quasi_affine.add(pool, first, part)
    for part in order:
        second = quasi_affine.add(pool, part, second)
    assert first is second


# Raising.


@st.composite
def arithmetic(draw: st.DrawFn) -> tuple[TermPool, Term, tuple[int, ...]]:
    pool, values = TermPool(), draw(VALUES)

    def term(depth: int) -> Term:
        kind = draw(
            st.sampled_from(
                ["leaf", "const", "addi", "subi", "muli", "maxsi", "minsi", "floordivsi", "ceildivsi", "cast"]
            )
        )
        if kind == "const":
            return pool.integer(draw(SMALL))
        if kind == "cast":
            return pool.make("arith.index_cast", (pool.integer(draw(st.integers(0, 255)), IntType(8)),), INDEX)
        if depth == 0 or kind == "leaf":
            return pool.argument(draw(st.integers(0, NAMES - 1)), INDEX)
        left = term(depth - 1)
        divides = kind in ("floordivsi", "ceildivsi")
        right = pool.integer(draw(st.integers(1, 9))) if divides else term(depth - 1)
        return pool.make(f"arith.{kind}", (left, right), INDEX)

    return pool, term(3), values


def value_of(term: Term, values: tuple[int, ...]) -> int | None:
    """`evaluate`, with casts of literals."""
    if term.op == "arith.index_cast":
        return evaluate(term.args[0], values)
    if not term.args:
        return evaluate(term, values)
    pool = TermPool()
    numbers = [value_of(a, values) for a in term.args]
    assert all(n is not None for n in numbers)
    return evaluate(pool.make(term.op, tuple(pool.integer(n) for n in numbers if n is not None), INDEX, term.attrs), ())


@given(arithmetic())
def test_raising_keeps_the_value(drawn: tuple[TermPool, Term, tuple[int, ...]]) -> None:
    pool, term, values = drawn
    raised = Raiser(pool).index(term)
    assert value_of(raised, values) == value_of(term, values)
    assert Raiser(pool).index(raised) is raised


def test_raising_meets_the_affine_form() -> None:
    """`(8*i + j) floordiv 8 + 1` by `arith` and by maps is one term."""
    pool = TermPool()
    i, j = pool.induction(0, INDEX), pool.argument(0, INDEX)
    eight = pool.integer(8)
    sum_ = quasi_affine.add(pool, quasi_affine.multiply(pool, eight, i), j)
    by_map = quasi_affine.add(pool, quasi_affine.floordiv(pool, sum_, eight), pool.integer(1))
    total = pool.make("arith.addi", (pool.make("arith.muli", (i, eight), INDEX), j), INDEX)
    divided = pool.make("arith.floordivsi", (total, eight), INDEX)
    raised = Raiser(pool).index(pool.make("arith.addi", (divided, pool.integer(1)), INDEX))
    assert raised is by_map


def test_unsigned_flags_stay() -> None:
    """That indices do not overflow is assumed of signed values: `i + j overflow<nuw>` is poison at -1 + 1."""
    pool = TermPool()
    i, j = pool.induction(0, INDEX), pool.argument(0, INDEX)
    for flags, stays in (("nsw", False), ("nuw", True), ("nsw,nuw", True)):
        flagged = pool.make("arith.addi", (i, j), INDEX, (("overflow", flags),))
        assert (Raiser(pool).index(flagged) is flagged) is stays
        assert Raiser(pool).index(flagged, Facts((i, j))) is quasi_affine.add(pool, i, j)


def test_what_may_be_poison_does_not_cancel() -> None:
    """`p - p` is poison where `p` is, and `0 * p` too."""
    pool = TermPool()
    p, i = pool.read(7, INDEX), pool.induction(0, INDEX)
    assert quasi_affine.subtract(pool, p, p) is not pool.integer(0)
    assert quasi_affine.multiply(pool, p, pool.integer(0)) is not pool.integer(0)
    assert quasi_affine.subtract(pool, i, i) is pool.integer(0)
