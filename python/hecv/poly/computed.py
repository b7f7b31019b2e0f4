"""Index values that are computed with ops that wrap, and not as affine expressions, compared as integers.

Sums and products modulo a power of two are equal where they are equal as integers, whatever overflows. What is divided
or compared, and each op with an overflow flag, has to stay within the range of `index`: beyond it the op is poison, or
the quotient another one.
"""

from __future__ import annotations

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import BOOL, IndexType
from hecv.graph.conditions import RING, wrapping
from hecv.graph.raising import Raiser
from hecv.poly.dataflow import Isl
from hecv.poly.positions import At
from hecv.poly.space import NONLINEAR, NotAffine


class _Reading(Struct, frozen=True):
    """An index value as isl text, and the texts of what has to be in range for it to be that."""

    text: str
    bounded: tuple[str, ...]


class Computed:
    """Compares index terms by their readings as integers; one for a proof."""

    def __init__(self, pool: TermPool, space: Isl, inputs: isl.Set, index_width: int) -> None:
        """`inputs` are the parameters of which each is a value of its type."""
        self._pool = pool
        self._space = space
        self._inputs = inputs
        self._half = 1 << (index_width - 1)
        self._raiser = Raiser(pool, index_width=index_width)

    def equal(self, source: At, target: At, relation: isl.Map) -> bool:
        """Whether two index terms are equal, and neither is poison, at all related instances, as far as isl can hold
        them."""
        if not (isinstance(source.term.type, IndexType) and isinstance(target.term.type, IndexType)):
            return False
        left, right = self._read(source), self._read(target)
        if left is None or right is None:
            return False
        tuples = f"{source.statement.tuple_text()} -> {target.statement.tuple_text()}"
        needed = [f"{left.text} = {right.text}", *map(self._in_range, (*left.bounded, *right.bounded))]
        related = relation.intersect_params(self._inputs)
        return bool(related.is_subset(self._space.map(f"{{ {tuples} : {' and '.join(needed)} }}")))

    def _read(self, at: At) -> _Reading | None:
        if any(t.op in NONLINEAR and len(t.args) == 2 and t.args[1].args for t in postorder((at.term,))):
            return None
        translator = at.statement.translator
        try:
            return _Reading(translator.index(at.term).text, ())
        except NotAffine:
            pass
        try:
            bounded = tuple(translator.index(self._raiser.index(t)).text for t in self._bounded(at.term))
            return _Reading(translator.index(self._raiser.index(at.term)).text, bounded)
        except NotAffine:
            return None

    def _bounded(self, term: Term) -> tuple[Term, ...]:
        """The parts of a term that have to be in range, itself only where it is no plain sum or product."""
        shown = self._pool.make("arith.cmpi", (term, self._pool.integer(0)), BOOL, (("predicate", "eq"),))
        plain = term.op in RING and not term.attrs
        return tuple(t for t in wrapping(shown) if not (plain and t is term))

    def _in_range(self, text: str) -> str:
        return f"{-self._half} <= {text} < {self._half}"
