"""Terms on all values of their leaves: what that proves, and where it says nothing."""

from __future__ import annotations

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import FloatType, IntType, ScalarType
from hecv.run.evaluation.exhaustive_evaluation import equal_everywhere

F8, UZ, F32, I8, I4 = FloatType("f8E4M3FN"), FloatType("f8E4M3FNUZ"), FloatType("f32"), IntType(8), IntType(4)
POOL = TermPool()


def leaf(kind: ScalarType, number: int) -> Term:
    return POOL.make("leaf", (), kind, (("number", number), ("proper", True)))


def op(name: str, *args: Term, to: ScalarType | None = None, **attrs: str) -> Term:
    return POOL.make(f"arith.{name}", args, to or args[0].type, tuple(attrs.items()))


def rounded_in_f32(name: str, x: Term, y: Term) -> Term:
    return op("truncf", op(name, op("extf", x, to=F32), op("extf", y, to=F32)), to=x.type)


X, Y = leaf(F8, 0), leaf(F8, 1)
U, V = leaf(UZ, 0), leaf(UZ, 1)


@pytest.mark.one_in(2)
def test_an_operation_is_one_in_a_wider_format_rounded() -> None:
    for x, y in ((X, Y), (U, V)):
        assert equal_everywhere(op("addf", x, y), rounded_in_f32("addf", y, x))
        assert not equal_everywhere(op("addf", x, y), rounded_in_f32("subf", x, y))
        assert not equal_everywhere(op("subf", x, y), rounded_in_f32("subf", y, x))


def test_zeros_have_signs_where_the_format_has_two() -> None:
    for x, expected in ((X, False), (U, True)):
        zero = POOL.real(0.0, x.type)
        assert equal_everywhere(op("addf", x, zero), x) is expected
        assert equal_everywhere(op("subf", zero, x), op("negf", x)) is expected


def test_one_value_of_many_is_found() -> None:
    for value in (448.0, -(2.0**-9), 0.0):
        one = POOL.real(value, F8)
        at_one = op("cmpf", X, one, to=IntType(1), predicate="oeq")
        assert equal_everywhere(op("select", at_one, Y, X, to=F8), X) is False
    assert equal_everywhere(op("select", at_one, X, X, to=F8), X)


def test_leaves_are_told_apart_by_what_they_are() -> None:
    n = leaf(I4, 2)
    wide = op("sitofp", n, to=F8)
    assert equal_everywhere(op("addf", X, wide), op("addf", wide, X))
    assert equal_everywhere(op("addf", X, wide), op("addf", X, op("uitofp", n, to=F8))) is False
    assert equal_everywhere(op("subf", wide, X), op("addf", wide, op("negf", X)))


def test_flags_of_integers_are_left_aside() -> None:
    n = leaf(I4, 2)
    flagged = op("addi", n, n, overflow="nsw")
    assert equal_everywhere(op("sitofp", flagged, to=F8), op("sitofp", op("addi", n, n), to=F8))


SILENT = {
    "poison": op("fptosi", X, to=I8),
    "poison-of-no-operand": op("select", leaf(IntType(1), 2), X, POOL.make("ub.poison", (), F8), to=F8),
    "undefined": op("sitofp", op("divsi", leaf(I4, 0), leaf(I4, 1)), to=F8),
    "poison-by-a-flag": op("addf", X, Y, fastmath="nnan"),
    "a-licence": op("addf", X, Y, fastmath="reassoc"),
    "either-zero": op("maxnumf", X, Y),
    "bits-of-a-nan": op("bitcast", X, to=I8),
    "a-function-of-which-one-is-run": POOL.make("math.exp", (X,), F8),
    "many-values": op("addf", X, op("truncf", leaf(F32, 1), to=F8)),
    "three-leaves": op("addf", op("addf", X, Y), leaf(F8, 2)),
    "nothing-known": op("addf", X, POOL.make("unknown", (Y,), F8)),
}


@pytest.mark.parametrize("name", SILENT)
def test_where_an_evaluation_does_not_tell(name: str) -> None:
    assert equal_everywhere(SILENT[name], SILENT[name]) is None
