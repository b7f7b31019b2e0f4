"""Index and integer values computed with wrapping ops instead of affine expressions, compared as integers.

Conditions on such values, and values that depend on such conditions, are compared too. Sums and products modulo a power
of two are equal if they are equal as integers, whatever overflows. An operand of a division or a comparison, and each
op with an overflow flag, has to stay in the range of `index`: outside it the op is poison, or the quotient is another
number. Inputs on which it leaves the range do not count if the affine expressions of the other program leave it there
too (`hecv.dataflow.obligations.no_wrap`).

An unsigned op equals the signed one if no operand is negative. That must hold at all instances; no overflow elsewhere
makes up for it.
"""

from __future__ import annotations

from contextlib import suppress

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import BOOL, IndexType, IntType
from hecv.dataflow.model.isl_translation import NONLINEAR, NotAffine
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Isl
from hecv.dataflow.obligations.no_wrap import Premises
from hecv.ops import facts_about
from hecv.program.index.index_conditions import wrapping
from hecv.program.index.index_ranges import NOTHING, Facts
from hecv.program.index.raising import Raiser


class _Reading(Struct, frozen=True):
    """An index, an integer or a condition as isl text, and the texts that must be in range for it to be that."""

    text: str
    bounded: tuple[str, ...]
    nonnegative: tuple[str, ...] = ()
    """The texts of what must not be negative either."""
    denied: str | None = None
    """For a condition, whose `text` says that it holds: the text that says that it does not."""

    def equals(self, other: _Reading) -> str:
        """The isl constraint that both have the same value."""
        if self.denied is None:
            return f"{self.text} = {other.text}"
        return f"((({self.text}) and ({other.text})) or (({self.denied}) and ({other.denied})))"


class Computed:
    """Compares index and integer terms as integers; one object a proof."""

    def __init__(self, pool: TermPool, space: Isl, premises: Premises, index_width: int, facts: Facts) -> None:
        """`facts` are known of all inputs that count."""
        self._pool = pool
        self._facts = facts
        self._space = space
        self._premises = premises
        self._inputs = premises.inputs()
        self._width = index_width
        self._raiser = Raiser(pool, index_width=index_width)

    def equal(self, source: At, target: At, relation: isl.Map) -> bool:
        """Whether two terms are equal, and neither is poison, at all related instances on inputs that count; False if
        isl cannot express them."""
        wrong = self.wrong(source, target, relation)
        return wrong is not None and bool(wrong.is_empty())

    def wrong(self, source: At, target: At, relation: isl.Map) -> isl.Map | None:
        """The related instances at which two terms are not proved equal, on inputs that count; None if isl cannot
        express the terms, or they differ as integers."""
        kind = source.term.type
        if kind != target.term.type or not isinstance(kind, IndexType | IntType):
            return None
        left, right = self._read(source), self._read(target)
        if left is None or right is None or (left.denied is None) != (right.denied is None):
            return None
        tuples = f"{source.statement.tuple_text()} -> {target.statement.tuple_text()}"
        related = relation.intersect_params(self._inputs)
        needed = " and ".join(f"{part} >= 0" for side in (left, right) for part in side.nonnegative) or "1 = 1"
        if not related.is_subset(self._space.map(f"{{ {tuples} : {left.equals(right)} and {needed} }}")):
            return None
        source_beyond, target_beyond = (self._beyond(related, tuples, side) for side in (left, right))
        wrong = source_beyond.union(target_beyond)
        return wrong if wrong.is_empty() else self._counting(wrong, source_beyond, target_beyond)

    def _counting(self, wrong: isl.Map, source: isl.Map, target: isl.Map) -> isl.Map:
        """`wrong` without the inputs that do not count: the affine expressions of one side exclude them; and those of
        the other side do too, or its term leaves the range there (`source`, `target`)."""
        excluded = self._premises.excluded()
        for side, beyond in ((0, target), (1, source)):
            either = beyond.union(wrong.intersect_params(excluded[1 - side]))
            wrong = wrong.subtract(either.intersect_params(excluded[side]))
        return wrong

    def _beyond(self, related: isl.Map, tuples: str, reading: _Reading) -> isl.Map:
        """The related instances at which a term leaves the range, and is not the integer that it is read as."""
        exact = " and ".join(map(self._in_range, reading.bounded)) or "1 = 1"
        return related.subtract(self._space.map(f"{{ {tuples} : {exact} }}"))

    def _read(self, at: At) -> _Reading | None:
        if any(t.op in NONLINEAR and len(t.args) == 2 and t.args[1].args for t in postorder((at.term,))):
            return None
        try:
            return self._direct(at) or self._raised(at)
        except NotAffine:
            return None

    def _direct(self, at: At) -> _Reading | None:
        """A term that isl can express as it is; None if an index, or a condition, has to be raised first.

        Raises: NotAffine for an integer that isl cannot express.
        """
        translator, kind = at.statement.translator, at.term.type
        if kind == BOOL:
            with suppress(NotAffine):
                return _Reading(translator.condition(at.term), (), (), translator.condition(at.term, False))
        try:
            return _Reading(translator.index(at.term).text, ())
        except NotAffine:
            if kind != BOOL and isinstance(kind, IntType):
                raise
            return None

    def _raised(self, at: At) -> _Reading:
        """An index, or a condition on indices, as exact arithmetic. Raises: NotAffine."""
        translator = at.statement.translator
        term, operands = self._with_signs(at.term)
        parts = wrapping(term) if term.type == BOOL else self._bounded(term)
        exact = map(self._raise, parts)
        # What is plainly an index need be nothing that isl holds, as a remainder is not.
        bounded = tuple(translator.index(t).text for t in exact if not NOTHING.is_index(self._pool, t, self._width))
        least = tuple(translator.index(self._raise(t)).text for t in operands)
        raised = self._raise(term)
        if term.type == BOOL:
            return _Reading(translator.condition(raised), bounded, least, translator.condition(raised, False))
        return _Reading(translator.index(raised).text, bounded, least)

    def _with_signs(self, term: Term) -> tuple[Term, tuple[Term, ...]]:
        """A term with signed ops in place of unsigned ones, and the operands of these, which must not be negative."""
        made: dict[int, Term] = {}
        operands: dict[Term, None] = {}
        for node in postorder((term,)):
            args = tuple([made[a.id] for a in node.args])
            signed = facts_about(node.op).signed if isinstance(node.type, IndexType) else ""
            if signed:
                operands.update(dict.fromkeys(args))
            op = signed or node.op
            same = op == node.op and args == node.args
            made[node.id] = node if same else self._pool.make(op, args, node.type, node.attrs)
        return made[term.id], tuple(operands)

    def _raise(self, term: Term) -> Term:
        return self._raiser.index(term, self._facts)

    def _bounded(self, term: Term) -> tuple[Term, ...]:
        """The parts of a term that have to be in range; the term itself only if it is no plain sum or product."""
        shown = self._pool.make("arith.cmpi", (term, self._pool.integer(0)), BOOL, (("predicate", "eq"),))
        plain = facts_about(term.op).ring and not term.attrs
        return tuple(t for t in wrapping(shown) if not (plain and t is term))

    def _in_range(self, text: str) -> str:
        half = 1 << (self._width - 1)
        return f"{-half} <= {text} < {half}"
