"""Aggregates as functions of the index: values computed from lane numbers, masks and values that all lanes share.

A mask may be a `vector.create_mask` or a comparison: `%i + %lane < %n` for all lanes. Such lanes need no memory: the
branch condition is then a condition on the index, however the mask was written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from torch_mlir import ir

from hecv.base.term import Term, literal, postorder
from hecv.base.types import INDEX, IndexType, IntType, ScalarType
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate
from hecv.ops import facts_about
from hecv.ops.index import SYNONYMS
from hecv.program.index import quasi_affine
from hecv.program.index.exact_integers import signed

Terms = tuple[Term, ...]


def computes(op: ir.Operation, operands: Sequence[Aggregate]) -> bool:
    """True if an elementwise op makes one integer of functions of the index, and is never undefined: it does not matter
    how often it is evaluated, and where."""
    name: str = op.name
    total = facts_about(SYNONYMS.get(name, name)).total and len(op.results) == 1
    return total and all(a.plain and isinstance(a.kind, IntType | IndexType) for a in operands)


def is_mask(condition: Term) -> bool:
    """True if a condition compares indices (or integers cast to indices) and is never poison: a branch on it is
    defined."""
    compares = (t.op == "arith.cmpi" and any(map(_is_index, t.args)) for t in postorder((condition,)))
    return any(compares) and is_never_poison(condition)


def is_never_poison(condition: Term) -> bool:
    """True if a condition is plainly not poison."""
    return all(
        (facts_about(t.op).total and not _flags(t)) or quasi_affine.is_proper(t) for t in postorder((condition,))
    )


def _is_index(term: Term) -> bool:
    return isinstance(term.type, IndexType) or term.op == "arith.index_cast"


def _flags(term: Term) -> bool:
    return any(name != "predicate" for name, _ in term.attrs)


def computed(reader: Reader, op: ir.Operation, extents: Terms, kind: ScalarType, scalar: Handler) -> Aggregate:
    """The result of such an op, computed by the handler of the scalar op."""
    lanes = {v: reader.aggregates[v] for v in op.operands if v in reader.aggregates}
    shared = {v: reader.term(op, v) for v in op.operands if v not in lanes}
    known: dict[Terms, Term] = {}

    def element(at_op: ir.Operation, at: Terms) -> Term:
        if at not in known:
            known[at] = applied({v: lane.element(at_op, at) for v, lane in lanes.items()} | shared)
        return known[at]

    def applied(operands: Mapping[ir.Value, Term]) -> Term:
        scalars = reader.scalars
        outer = {v: scalars[v] for v in operands if v in scalars}
        scalars.update(operands)
        reader.lanes += 1
        scalar(reader, op)
        reader.lanes -= 1
        for v in operands:
            del scalars[v]
        scalars.update(outer)
        return scalars.pop(op.result)

    return Aggregate(extents, kind, element, plain=True)


def progression(reader: Reader, extents: Terms, elements: Sequence[Term], compared: bool) -> Aggregate | None:
    """A constant as a function of the index: an arithmetic progression.

    None if it has several dimensions, or its elements are neither indices in equal steps nor integers that are only
    `compared` (lane numbers are compared to make a mask).
    """
    kind = elements[0].type
    values = [v for v in map(literal, elements) if isinstance(v, int)]
    if isinstance(kind, IntType) and kind.width > 1 and compared:
        values = [signed(v, kind.width) for v in values]
    elif kind != INDEX:
        return None
    if any(abs(v) >= 1 << 31 for v in values):  # no `index` of 32 bits: as a lane number it would overflow
        return None
    steps = {b - a for a, b in pairwise(values)}
    if len(extents) != 1 or len(steps) != 1:
        return None
    first, step = values[0], steps.pop()

    def element(_: ir.Operation, at: Terms) -> Term:
        number = quasi_affine.combine(reader.pool, first, ((at[0], step),))
        return number if kind == INDEX else reader.pool.make("arith.index_cast", (number,), kind)

    return Aggregate(extents, kind, element, plain=True)
