"""The pair that isl sees, of two functions: with what is accessed at subscripts from memory as contents, or element by
element."""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.memo import Once
from hecv.base.term import Term, TermPool
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import Pair
from hecv.program.refusal import Refused
from hecv.program.tree import Function


def paired(
    pool: TermPool,
    functions: tuple[Function, Function],
    constrain: Sequence[Term],
    index_width: int,
    once: Once | None,
    without: frozenset[str],
) -> Pair:
    """The pair with contents as values and, where isl does not hold that, element by element.

    Raises: Refused, NotAffine where it is neither.
    """
    try:
        return Pair(pool, *functions, constrain, index_width, once=once, without=without)
    except Refused:
        pair = gathered(pool, functions, constrain, index_width, once, without)
        if pair is None:
            raise
        return pair


def gathered(
    pool: TermPool,
    functions: tuple[Function, Function],
    constrain: Sequence[Term],
    index_width: int,
    once: Once | None,
    without: frozenset[str],
) -> Pair | None:
    """The pair element by element; None where isl does not hold that, or there is no such memory."""
    try:
        pair = Pair(pool, *functions, constrain, index_width, once=once, elements=True, without=without)
    except (Refused, NotAffine):
        return None
    return pair if pair.gathered else None
