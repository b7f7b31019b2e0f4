"""Values on which claims about paths are tried before Z3 is asked: most that are false are so for small numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Final

from hecv.base.term import Term, literal, postorder
from hecv.base.types import FloatType, IndexType, IntType
from hecv.base.value import POISON, Scalar
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.smt.path_queries import Claim, Holds, Never, Premises, Refines

DRAWS: Final = 60
"""Draws of values for the terms of a claim."""
SEED: Final = 3

Values = Mapping[int, Scalar | None]


class Samples:
    """Tries claims on values."""

    def __init__(self, index_width: int) -> None:
        self._evaluate = Evaluator(index_width)

    def refute(self, known: Premises, claim: Claim) -> bool:
        """Whether there are values for which the premises hold and the claim does not."""
        asked = _asked(claim)
        if asked is None:
            return False
        order = postorder((*known.roots(), *asked))
        return any(self._contradicts(order, known, claim, Random(SEED + k)) for k in range(DRAWS))

    def _contradicts(self, order: list[Term], known: Premises, claim: Claim, random: Random) -> bool:
        values = self.drawn(order, random)
        true = all(values[t.id] == 1 for t in (*known.held, *known.taken))
        sound = all(_is_proper(values[t.id]) for t in (*known.defined, *known.exact))
        return true and sound and not _is_true(claim, values)

    def drawn(self, order: list[Term], random: Random) -> dict[int, Scalar | None]:
        """A value of each term, operands first; None where it is not known."""
        values: dict[int, Scalar | None] = {}
        near = random.choice((2, 5, 9))
        element = cache(lambda _memory, _places: random.randrange(near))
        for term in order:
            operands = tuple([v for a in term.args if (v := values[a.id]) is not None])
            values[term.id] = self._value(term, operands, random, near, element)
        return values

    def _value(
        self,
        term: Term,
        operands: tuple[Scalar, ...],
        random: Random,
        near: int,
        element: Callable[[object, object], int],
    ) -> Scalar | None:
        known = literal(term)
        if known is not None:
            return known
        if term.op == "load" and len(operands) == len(term.args):
            return _typed(element(term.attrs[0], operands), term)
        if not term.args:
            return _typed(random.randrange(-1 if term.op == "leaf" else 0, 2 * near), term)
        return self._evaluate(term, operands) if len(operands) == len(term.args) else None


def _asked(claim: Claim) -> tuple[Term, ...] | None:
    match claim:
        case Refines(source, target):
            return source, target
        case Holds(term):
            return (term,)
        case Never():
            return ()
        case _:
            return None


def _is_true(claim: Claim, values: Values) -> bool:
    match claim:
        case Refines(source, target):
            one, other = values[source.id], values[target.id]
            return one is None or one is POISON or other is None or one == other
        case Holds(term):
            return values[term.id] in (1, None)
        case Never():
            return False
        case _:
            return True


def _is_proper(value: Scalar | None) -> bool:
    return value is not None and value is not POISON


def _typed(value: int, term: Term) -> Scalar:
    match term.type:
        case IntType(width):
            return value % (1 << width)
        case IndexType():
            return value
        case FloatType():
            return float(value)
        case _:
            return value
