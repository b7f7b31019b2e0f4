"""Index values that are computed with ops that wrap, and not as affine expressions, compared as integers.

Sums and products modulo a power of two are equal where they are equal as integers, whatever overflows. What is divided
or compared, and each op with an overflow flag, has to stay within the range of `index`: beyond it the op is poison, or
the quotient another one. Inputs on which it leaves the range are no matter where the affine expressions of the other
program leave it there too (`hecv.poly.premises`).
"""

from __future__ import annotations

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import BOOL, IndexType
from hecv.graph.conditions import RING, wrapping
from hecv.graph.raising import Raiser
from hecv.graph.ranges import NOTHING
from hecv.poly.dataflow import Isl
from hecv.poly.positions import At
from hecv.poly.premises import Premises
from hecv.poly.space import NONLINEAR, NotAffine


class _Reading(Struct, frozen=True):
    """An index value as isl text, and the texts of what has to be in range for it to be that."""

    text: str
    bounded: tuple[str, ...]


class Computed:
    """Compares index terms by their readings as integers; one for a proof."""

    def __init__(self, pool: TermPool, space: Isl, premises: Premises, index_width: int) -> None:
        self._pool = pool
        self._space = space
        self._premises = premises
        self._inputs = premises.inputs()
        self._width = index_width
        self._raiser = Raiser(pool, index_width=index_width)

    def equal(self, source: At, target: At, relation: isl.Map) -> bool:
        """Whether two index terms are equal, and neither is poison, at all related instances on inputs that count, as
        far as isl can hold them."""
        wrong = self.wrong(source, target, relation)
        return wrong is not None and bool(wrong.is_empty())

    def wrong(self, source: At, target: At, relation: isl.Map) -> isl.Map | None:
        """The related instances at which two index terms are not shown equal, on inputs that count; None where isl
        cannot hold the terms, or they are not equal as integers."""
        if not (isinstance(source.term.type, IndexType) and isinstance(target.term.type, IndexType)):
            return None
        left, right = self._read(source), self._read(target)
        if left is None or right is None:
            return None
        tuples = f"{source.statement.tuple_text()} -> {target.statement.tuple_text()}"
        related = relation.intersect_params(self._inputs)
        if not related.is_subset(self._space.map(f"{{ {tuples} : {left.text} = {right.text} }}")):
            return None
        source_beyond, target_beyond = (self._beyond(related, tuples, side) for side in (left, right))
        wrong = source_beyond.union(target_beyond)
        return wrong if wrong.is_empty() else self._counting(wrong, source_beyond, target_beyond)

    def _counting(self, wrong: isl.Map, source: isl.Map, target: isl.Map) -> isl.Map:
        """What is `wrong` without the inputs that do not count: the affine expressions of one side exclude them, and
        those of the other do, or its term leaves the range, as `source` and `target` say."""
        excluded = self._premises.excluded()
        for side, beyond in ((0, target), (1, source)):
            either = beyond.union(wrong.intersect_params(excluded[1 - side]))
            wrong = wrong.subtract(either.intersect_params(excluded[side]))
        return wrong

    def _beyond(self, related: isl.Map, tuples: str, reading: _Reading) -> isl.Map:
        """The related instances at which a term is not the integer that it is read as."""
        exact = " and ".join(map(self._in_range, reading.bounded)) or "1 = 1"
        return related.subtract(self._space.map(f"{{ {tuples} : {exact} }}"))

    def _read(self, at: At) -> _Reading | None:
        if any(t.op in NONLINEAR and len(t.args) == 2 and t.args[1].args for t in postorder((at.term,))):
            return None
        translator = at.statement.translator
        try:
            return _Reading(translator.index(at.term).text, ())
        except NotAffine:
            pass
        try:
            exact = map(self._raiser.index, self._bounded(at.term))
            # What is plainly an index need be nothing that isl holds, as a remainder is not.
            bounded = tuple(translator.index(t).text for t in exact if not NOTHING.is_index(self._pool, t, self._width))
            return _Reading(translator.index(self._raiser.index(at.term)).text, bounded)
        except NotAffine:
            return None

    def _bounded(self, term: Term) -> tuple[Term, ...]:
        """The parts of a term that have to be in range, itself only where it is no plain sum or product."""
        shown = self._pool.make("arith.cmpi", (term, self._pool.integer(0)), BOOL, (("predicate", "eq"),))
        plain = term.op in RING and not term.attrs
        return tuple(t for t in wrapping(shown) if not (plain and t is term))

    def _in_range(self, text: str) -> str:
        half = 1 << (self._width - 1)
        return f"{-half} <= {text} < {half}"
