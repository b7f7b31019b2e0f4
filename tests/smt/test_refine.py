"""Refinement of terms: what shape answers, what Z3 answers, and what neither may claim."""

from __future__ import annotations

import pytest

from hecv.base.term import OPAQUE, Attributes, Term, TermPool
from hecv.base.types import BOOL, INDEX, FloatType, IntType, ScalarType
from hecv.program.uninterpreted import named
from hecv.smt.term_refinement import Refinement, refine

I8 = IntType(8)
F32 = FloatType("f32")
NSW: Attributes = (("overflow", "nsw"),)


class Terms:
    """Short names for the terms of one pool."""

    def __init__(self) -> None:
        self.pool = TermPool()

    def leaf(self, number: int, type_: ScalarType = I8) -> Term:
        return self.pool.make("leaf", (), type_, (("number", number),))

    def op(self, name: str, *args: Term, to: ScalarType | None = None, attrs: Attributes = ()) -> Term:
        return self.pool.make(f"arith.{name}", args, to or args[0].type, attrs)

    def int(self, value: int, type_: ScalarType = I8) -> Term:
        return self.pool.integer(value, type_)


def answers(found: Refinement) -> tuple[str, str, str | None]:
    """undefined, poison, value"""
    return found.undefined.answer, found.poison.answer, found.value and found.value.answer


def test_equal_terms_refine_by_shape() -> None:
    t = Terms()
    x, y = t.leaf(0), t.leaf(1)
    found = refine(t.op("addi", x, y), t.op("subi", y, x))
    assert found.holds and found.poison.how == found.undefined.how == "shape"


def test_an_operator_without_semantics_is_no_leaf_that_has_a_number() -> None:
    t = Terms()
    op = t.pool.make(OPAQUE, (), I8, (("name", "test.op"),))
    known, leaf = named(t.pool, op, {}), t.leaf(op.id)
    assert answers(refine(t.op("addi", leaf, leaf), t.op("addi", leaf, known), value=True))[1:] == ("refuted",) * 2


def test_a_leaf_the_source_does_not_need_may_be_poison() -> None:
    t = Terms()
    c, x, y = t.leaf(0, BOOL), t.leaf(1), t.leaf(2)
    select = t.op("select", c, x, y, to=I8)
    assert answers(refine(select, t.op("addi", x, y))) == ("proved", "refuted", None)
    assert answers(refine(t.op("addi", x, t.op("select", c, x, y, to=I8)), t.op("addi", x, x)))[1] == "proved"
    assert answers(refine(select, t.op("extui", c, to=I8)))[1] == "proved"


def test_a_flag_may_be_dropped_and_not_added() -> None:
    t = Terms()
    x, y = t.leaf(0), t.leaf(1)
    flagged, plain = t.op("addi", x, y, attrs=NSW), t.op("addi", x, y)
    assert answers(refine(flagged, plain, value=True)) == ("proved", "proved", "proved")
    found = refine(plain, flagged, value=True)
    assert answers(found) == ("proved", "refuted", "proved")
    assert found.poison.model is not None and not found.holds


def test_a_flag_that_follows_from_another() -> None:
    t = Terms()
    x = t.leaf(0)
    doubled = t.op("addi", x, x, attrs=NSW)
    assert answers(refine(doubled, t.op("shli", x, t.int(1), attrs=NSW), value=True)) == ("proved",) * 3


def test_division_needs_a_divisor_that_the_source_divides_by() -> None:
    t = Terms()
    x, y = t.leaf(0), t.leaf(1)
    quotient = t.op("divui", x, y)
    assert answers(refine(t.op("addi", x, y), quotient))[0] == "refuted"
    assert answers(refine(quotient, t.op("remui", x, y)))[0] == "proved"
    assert answers(refine(quotient, t.op("addi", quotient, t.op("muli", quotient, y)))) == ("proved", "proved", None)
    assert refine(t.op("addi", x, y), t.op("divui", x, y), evaluated=(t.op("remui", x, y),)).holds
    assert refine(x, t.op("divui", x, t.int(3))).undefined.how == "shape"


def test_signed_division_may_overflow() -> None:
    t = Terms()
    x, y = t.leaf(0), t.leaf(1)
    assert answers(refine(t.op("divui", x, y), t.op("divsi", x, y)))[0] == "refuted"
    assert answers(refine(t.op("divsi", x, y), t.op("divui", x, y)))[0] == "proved"


def test_poison_alone_does_not_make_a_source_undefined() -> None:
    """An address that is poison is undefined behaviour; a sum of it is only poison."""
    t = Terms()
    i, x = t.leaf(0, INDEX), t.leaf(1)
    load = t.pool.load(7, (i,), I8)
    source = t.op("addi", x, t.op("index_cast", i, to=I8))
    assert answers(refine(source, load))[0] == "refuted"
    assert answers(refine(t.op("addi", x, load), t.op("index_cast", i, to=I8))) == ("proved", "proved", None)


def test_values() -> None:
    t = Terms()
    x, y = t.leaf(0), t.leaf(1)
    product = t.op("muli", x, t.int(8))
    assert answers(refine(product, t.op("shli", x, t.int(3)), value=True)) == ("proved",) * 3
    assert answers(refine(product, t.op("shli", x, t.int(2)), value=True)) == ("proved", "proved", "refuted")
    assert answers(refine(t.op("divui", x, x), t.int(1), value=True)) == ("proved",) * 3
    smaller = t.op("select", t.op("cmpi", x, y, to=BOOL, attrs=(("predicate", "slt"),)), x, y, to=I8)
    assert answers(refine(smaller, t.op("minsi", x, y), value=True)) == ("proved",) * 3


def test_zeros_and_nan_are_told_apart() -> None:
    t = Terms()
    x = t.leaf(0, F32)
    zero, minus = t.pool.real(0.0, F32), t.pool.real(-0.0, F32)
    assert answers(refine(t.op("addf", x, zero), x, value=True))[2] == "refuted"
    assert answers(refine(t.op("addf", x, minus), x, value=True))[2] == "proved"
    assert answers(refine(t.op("mulf", x, zero), zero, value=True))[2] == "refuted"


def test_what_is_left_open_is_matched_by_its_operands_alone() -> None:
    """Of two zeros `maxnumf` may return either: no other term is equal to it."""
    t = Terms()
    x, y = t.leaf(0, F32), t.leaf(1, F32)
    either = t.op("maxnumf", x, y)
    assert answers(refine(t.op("negf", t.op("negf", either)), either, value=True))[2] == "proved"
    assert answers(refine(either, t.op("maxnumf", y, x), value=True))[2] == "unknown"


@pytest.mark.parametrize("op", ("maxnumf", "math.exp", "addf"))
def test_a_float_flag_may_not_be_added(op: str) -> None:
    t = Terms()
    args = (t.leaf(0, F32),) if "." in op else (t.leaf(0, F32), t.leaf(1, F32))
    name = op if "." in op else f"arith.{op}"
    plain = t.pool.make(name, args, F32)
    flagged = t.pool.make(name, args, F32, (("fastmath", "nnan"),))
    assert answers(refine(plain, flagged))[1] in ("refuted", "unknown")
    assert answers(refine(flagged, plain))[1] == "proved"


def test_uninterpreted_operators_are_functions_of_their_operands() -> None:
    t = Terms()
    x, y = t.leaf(0, F32), t.leaf(1, F32)

    def exp(a: Term) -> Term:
        return t.pool.make("math.exp", (a,), F32)

    left, right = exp(t.op("addf", x, y)), exp(t.op("addf", y, x))
    assert answers(refine(left, right, value=True)) == ("proved",) * 3
    assert answers(refine(exp(x), t.op("negf", t.op("negf", exp(x))), value=True)) == ("proved",) * 3
    assert answers(refine(exp(x), exp(y), value=True)) == ("proved", "unknown", "unknown")


def test_nothing_is_assumed_of_an_unknown_operator() -> None:
    t = Terms()
    x = t.leaf(0)
    assert answers(refine(x, t.pool.make("some.op", (x,), I8), value=True)) == ("unknown",) * 3


def test_which_nan_it_is_is_not_known() -> None:
    """Leaves are equal up to the sign and payload of NaN; the bits are then not equal."""
    t = Terms()
    x = t.leaf(0, F32)
    bits = t.op("bitcast", x, to=IntType(32))
    assert answers(refine(bits, bits, value=True))[2] == "unknown"
    assert refine(bits, bits).holds


def test_what_may_compute_something_else_is_not_encoded() -> None:
    t = Terms()
    x = t.leaf(0, F32)
    fast = t.op("addf", x, x, attrs=(("fastmath", "reassoc"),))
    found = refine(t.op("addf", x, x), fast, value=True)
    assert found.value is not None and found.value.answer == "unknown" and "reassoc" in found.value.how
    assert refine(fast, fast, value=True).holds


def test_index_arithmetic_is_exact() -> None:
    t = Terms()
    i = t.pool.induction(0, INDEX)
    eight: Attributes = (("constant", 3), ("coefficients", (8,)))
    inner = t.pool.make("affine.linear", (i,), INDEX, eight)
    floor = t.pool.make("affine.floordiv", (inner,), INDEX, (("divisor", 8),))
    zero_more = t.pool.make("affine.linear", (i,), INDEX, (("constant", 0), ("coefficients", (1,))))
    assert answers(refine(floor, zero_more, value=True)) == ("proved",) * 3


@pytest.mark.parametrize("depth", (5_000,))
def test_depth_is_no_limit(depth: int) -> None:
    t = Terms()
    x = y = t.leaf(0)
    for _ in range(depth):
        x, y = t.op("addi", x, t.int(1)), t.op("addi", y, t.int(2))
    found = refine(x, y, value=True, milliseconds=5_000)
    assert answers(found)[:2] == ("proved", "proved")


def test_a_source_that_is_never_defined_is_refined_by_everything() -> None:
    t = Terms()
    x = t.leaf(0)
    assert refine(t.op("divui", x, t.int(0)), t.op("divui", t.int(1), x), value=True).holds


def test_time_limit_is_unknown() -> None:
    t = Terms()
    f64 = FloatType("f64")
    x, y, z = (t.leaf(k, f64) for k in range(3))
    left = t.op("divf", t.op("mulf", x, y), z)
    right = t.op("divf", t.op("mulf", y, x), z)
    other = t.op("mulf", x, t.op("divf", y, z))
    assert refine(left, right, value=True, milliseconds=50).value is not None
    found = refine(left, t.op("addf", other, t.op("subf", x, x)), value=True, milliseconds=1)
    assert found.value is not None and found.value.answer == "unknown"
