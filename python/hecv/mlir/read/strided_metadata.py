"""`memref.extract_strided_metadata` of a memref of unknown layout, and the views built from its results.

Offset and strides are symbols. A `memref.reinterpret_cast` to `offset + a * stride0 + b * stride1`, with strides that
are multiples of these, is a view of the memref itself: its element at `(a + ..., b + ...)`. Any other use of a symbol
is rejected, so that no tree contains one.

An access through such a view is assumed to lie within the extents of the memref in each dimension
(`Function.rebased`): elsewhere in its buffer there may be memory, or none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from msgspec import Struct
from torch_mlir import ir

from hecv.base.diagnostics import Location, Unsupported
from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import INDEX
from hecv.mlir.read.memref_views import Spread, Terms, View
from hecv.program.index import quasi_affine
from hecv.program.tree import Block, roots, walk

LAYOUT: Final = "layout"
"""The operator of an offset or stride symbol."""


class Taken(Struct, frozen=True):
    """The results of `memref.extract_strided_metadata`: offset and strides, each a symbol or what the type states."""

    op: str
    place: Location | None
    view: View
    offset: Term
    strides: Terms


def taken_apart(pool: TermPool, op: ir.Operation, place: Location | None, view: View, number: int) -> Taken | None:
    """The offset and strides of an op's operand, which is number `number` of those taken apart; None if it is not
    strided."""
    try:
        strides, offset = ir.MemRefType(op.operands[0].type).get_strides_and_offset()
    except RuntimeError:
        return None
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    if len(strides) != len(view.extents):
        return None
    first, *rest = (
        pool.make(LAYOUT, (), INDEX, (("number", number), ("part", k))) if n == dynamic else pool.integer(n)
        for k, n in enumerate((offset, *strides))
    )
    return Taken(op.name, place, view, first, tuple(rest))


def put_together(pool: TermPool, taken: Taken, offset: Term, sizes: Terms, strides: Terms) -> View | None:
    """The view that `memref.reinterpret_cast` makes of such results; None if it cannot be determined."""
    start = _indices(pool, taken, quasi_affine.subtract(pool, offset, taken.offset))
    steps = [_direction(pool, taken, stride) for stride in strides]
    if start is None:
        return None
    known = [step for step in steps if step is not None]
    if len(known) < len(steps):
        return None
    spread = Spread(start, tuple(by for _, by in known), tuple(dimension for dimension, _ in known))
    return View(taken.view.memory, sizes, (*taken.view.steps, spread), (False,) * len(sizes), None)


def _indices(pool: TermPool, taken: Taken, distance: Term) -> Terms | None:
    """One index a dimension, at a distance from the first element."""
    found: list[Term] = [pool.integer(0)] * len(taken.strides)
    form = quasi_affine.linear(distance)
    for atom, coefficient in ((pool.integer(1), form.constant), *form.terms):
        if not coefficient:
            if literal(atom) is not None or is_symbol(atom):
                continue
            return None  # it could be poison
        step = _direction(pool, taken, quasi_affine.combine(pool, 0, ((atom, coefficient),)))
        if step is None:
            return None
        dimension, by = step
        found[dimension] = quasi_affine.add(pool, found[dimension], by)
    return tuple(found)


def _direction(pool: TermPool, taken: Taken, distance: Term) -> tuple[int, Term] | None:
    """The dimension whose stride divides a distance, and the quotient."""
    coefficient, factors = quasi_affine.factors(distance)
    symbols = [f for f in factors if is_symbol(f)]
    rest = [f for f in factors if not is_symbol(f)]
    if any(is_symbol(t) for t in postorder(tuple(rest))) or len(symbols) > 1:
        return None
    if symbols:
        places = [k for k, stride in enumerate(taken.strides) if stride is symbols[0]]
        by = 1
    else:
        places = [k for k, stride in enumerate(taken.strides) if not is_symbol(stride)]
        by = _positive(taken.strides[places[0]]) if len(places) == 1 else 0
    if len(places) != 1 or not by or coefficient % by:
        return None
    result = pool.integer(coefficient // by)
    for factor in rest:
        result = quasi_affine.multiply(pool, result, factor)
    return places[0], result


def _positive(term: Term) -> int:
    """A positive literal, else 0."""
    value = literal(term)
    return value if isinstance(value, int) and value > 0 else 0


def is_symbol(term: Term) -> bool:
    """True if a term is the symbol of an unknown offset or stride."""
    return term.op == LAYOUT


def require_no_symbols(taken: Collection[Taken], body: Block, more: Iterable[Term]) -> None:
    """Raises: Unsupported if a symbol is in the tree, or in `more` terms."""
    terms = (t for s in walk(body) for t in roots(s))
    if any(map(is_symbol, postorder((*terms, *more)))):
        first = next(iter(taken))
        text = f"op `{first.op}`: something depends on the layout of %{first.view.memory.name}, which is not known"
        raise Unsupported(text, first.place)
