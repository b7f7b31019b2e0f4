"""Where a product is zero because both of its factors are literal zeros: padding that a reduction runs over.

One factor that is zero is not enough: the other may be poison, or an infinity.
"""

from __future__ import annotations

from typing import Final

import islpy as isl

from hecv.base.term import literal
from hecv.poly.dataflow import Dataflow, Isl
from hecv.poly.positions import At
from hecv.poly.space import NotAffine

PRODUCTS: Final = frozenset({"arith.muli", "arith.mulf", "arith.andi"})
CONVERSIONS: Final = frozenset(f"arith.{name}" for name in ("extsi", "extui", "extf", "trunci", "truncf"))
"""Operators that make zero of zero."""

DEEPEST: Final = 6
"""Selections and copies in a row that are looked through."""


class Zeros:
    """Finds the instances of one program's terms at which they are zeros that the text has."""

    def __init__(self, space: Isl, flow: Dataflow) -> None:
        self._space = space
        self._flow = flow

    def product(self, at: At) -> isl.Set | None:
        """The instances at which a product is one of zeros; None where the term is no product, or nowhere."""
        return self._where(at, DEEPEST) if at.term.op in PRODUCTS else None

    def _where(self, at: At, depth: int) -> isl.Set | None:
        term, statement = at.term, at.statement
        if term.op == "const":
            return self._flow.domains[statement.name] if literal(term) == 0 else None
        if not depth:
            return None
        if term.op == "load":
            return self._read(at, depth)
        if term.op == "arith.select":
            return self._selected(at, depth)
        if term.op in CONVERSIONS:
            return self._where(At(statement, term.args[0]), depth)
        if term.op not in PRODUCTS:
            return None
        first, second = (self._where(At(statement, factor), depth) for factor in term.args)
        return None if first is None or second is None else _proper(first.intersect(second))

    def _read(self, at: At, depth: int) -> isl.Set | None:
        """Where what was written is zero."""
        found: isl.Set | None = None
        for writer, step in self._flow.producers[at.statement.name, at.term].certain():
            zeros = None if writer.value is None else self._where(At(writer, writer.value), depth - 1)
            if zeros is not None:
                own = step.intersect_range(zeros).domain()
                found = own if found is None else found.union(own)
        return None if found is None else _proper(found)

    def _selected(self, at: At, depth: int) -> isl.Set | None:
        """Where the operand that is selected is zero."""
        condition, *branches = at.term.args
        found: isl.Set | None = None
        for holds, branch in zip((True, False), branches, strict=True):
            zeros = self._where(At(at.statement, branch), depth - 1)
            if zeros is None:
                continue
            try:
                text = at.statement.translator.condition(condition, holds)
            except NotAffine:
                return None
            own = zeros.intersect(self._space.set(f"{{ {at.statement.tuple_text()} : {text} }}"))
            found = own if found is None else found.union(own)
        return None if found is None else _proper(found)


def _proper(found: isl.Set) -> isl.Set | None:
    return None if found.is_empty() else found
