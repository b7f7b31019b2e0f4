"""Terms of a program as a subject."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.base.types import INDEX, FloatType, IntType, OpaqueType
from hecv.patterns.calculus.match_subject import Node, Operator
from hecv.patterns.calculus.matches import Match
from hecv.patterns.calculus.pattern_ast import Apply, Constant, Definition, Parameter, Variable
from hecv.patterns.machine.machine import Search
from hecv.patterns.machine.term_subject import TermSubject

POOL = TermPool()
I8, F16, F32 = IntType(8), FloatType("f16"), FloatType("f32")


def test_a_pattern_finds_its_terms() -> None:
    a = POOL.argument(0, F32)
    half = POOL.make("arith.divf", (a, POOL.real(2.0, F32)), F32)
    rules = {"half": Definition("half", (Parameter("x"),), Apply("arith.divf", (Variable("x"), Constant(2.0))))}
    search = Search(rules, TermSubject([half]))
    assert search.first("half", half.id) == Match({"x": a.id})
    assert search.first("half", a.id) is None


def test_nodes() -> None:
    a, one = POOL.argument(0, I8), POOL.integer(1, I8)
    total = POOL.make("arith.addi", (a, one), I8, (("overflow", "nsw"),))
    subject = TermSubject([total])
    assert subject.nodes(total.id) == (Node(Operator("arith.addi", (("overflow", "nsw"),)), (a.id, one.id)),)
    assert subject.nodes(a.id) == ()
    assert subject.nodes(one.id) == (Node(Operator("const", (("value", 1),)), ()),)


@pytest.mark.parametrize(
    ("term", "literal", "equal"),
    [
        (POOL.integer(255, I8), -1, True),
        (POOL.integer(255, I8), 255, True),
        (POOL.integer(255, I8), 255.0, False),
        (POOL.integer(1, I8), True, False),
        (POOL.integer(1, IntType(1)), True, True),
        (POOL.integer(0, IntType(1)), True, False),
        (POOL.integer(-1, INDEX), -1, True),
        (POOL.integer(1, INDEX), True, False),
        (POOL.real(2.0, F32), 2.0, True),
        (POOL.real(2.0, F32), 2, True),
        (POOL.real(1.0, F32), True, False),
        (POOL.real(0.0, F32), -0.0, False),
        (POOL.real(-0.0, F32), 0, False),
        (POOL.real(0.0999755859375, F16), 0.1, True),
        (POOL.real(0.1, FloatType("f64")), 0.1, True),
        (POOL.real(2.0**24, F32), 2**24 + 1, False),
        (POOL.real(2.0**60, FloatType("f64")), 2**60 + 1, False),
        (POOL.real(float("inf"), FloatType("f64")), 10**400, False),
        (POOL.real(float("nan"), F32), float("nan"), True),
        (POOL.argument(0, I8), 0, False),
    ],
)
def test_literals(term, literal, equal) -> None:
    assert TermSubject([term]).is_literal(term.id, literal) is equal


def test_attributes() -> None:
    a, minus = POOL.argument(0, I8), POOL.integer(255, I8)
    total = POOL.make("arith.cmpi", (a, minus), IntType(1), (("predicate", "slt"),))
    tensor = POOL.argument(1, OpaqueType("tensor<4xf32>"))
    index = POOL.argument(2, INDEX)
    subject = TermSubject([total, tensor, index], index_width=32)

    def asked(term, *path: str):
        return subject.attribute(term.id, path)

    assert [asked(a, name) for name in ("type", "elType", "width", "rank", "shape", "value", "op")] == [
        "i8", "i8", 8, 0, (), None, None,
    ]  # fmt: skip
    assert [asked(minus, "value"), asked(total, "op"), asked(total, "predicate")] == [-1, "arith.cmpi", "slt"]
    assert asked(total, "rounding") is None
    assert [asked(a, "uses"), asked(total, "uses")] == [1, 1]
    assert asked(index, "width") == 32
    assert asked(tensor, "type") == "tensor<4xf32>"
    for path in (("elType",), ("rank",), ("shape",), ("shape", "rank"), ("shape", "0"), ("width",)):
        assert asked(tensor, *path) is None
