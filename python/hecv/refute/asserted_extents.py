"""Extents that a function asserts of its arguments; random sizes rarely satisfy them, as a product of other extents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hecv.base.term import Term
from hecv.base.value import Value
from hecv.program.tree import Assert, Function
from hecv.refute.directed_inputs import value_of
from hecv.refute.input_generation import Point, dynamic_extents, encode
from hecv.run.evaluation.op_evaluation import Evaluator


class Extents:
    """Equalities of dynamic extents from assertions that a function always reaches."""

    def __init__(self, function: Function, index_width: int) -> None:
        self._apply: Final = Evaluator(index_width)
        self._stated: Final = tuple(_stated(function))

    def settled(self, point: Point) -> Point:
        """`point` with the extents that the assertions demand; one that would be negative is left unchanged."""
        found = dict(point)
        for extent, size in self._stated:
            values: Mapping[Term, Value] = {t: encode(t.type, v) for t, v in found.items()}
            value = value_of(size, values, self._apply)
            if isinstance(value, int) and value >= 0:
                found[extent] = value
        return found


def _stated(function: Function) -> Iterator[tuple[Term, Term]]:
    """Extents and what they are asserted to be, each extent once: where both sides are extents, the later one."""
    order: Final = {t: k for k, t in enumerate(dynamic_extents(function))}
    said: set[Term] = set()
    for s in function.body:
        for pair in _equal(s.condition) if isinstance(s, Assert) else ():
            size, extent = sorted(pair, key=lambda t: order.get(t, -1))
            if extent in order and extent not in said:
                said.add(extent)
                yield extent, size


def _equal(condition: Term) -> Iterator[tuple[Term, Term]]:
    """Pairs of terms that are equal where the condition holds."""
    if condition.op == "arith.andi":
        for part in condition.args:
            yield from _equal(part)
    if condition.op == "arith.cmpi" and condition.attr("predicate") == "eq":
        left, right = condition.args
        yield left, right
