"""Replays a proof that says no more than that both functions have one normal form.

The forms are made anew (`hecv.poly.pair`), as for a proof by dataflow; that is trusted. Theorem: `hecv.poly.sameness`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.term import Term, TermPool
from hecv.certificate.errors import Rejected
from hecv.certificate.format import Options
from hecv.graph.tree import Function
from hecv.poly.pair import Pair
from hecv.poly.sameness import is_same
from hecv.poly.space import NotAffine
from hecv.poly.statements import Refused


def replay_form(
    pool: TermPool, functions: tuple[Function, Function], constraints: Sequence[Term], options: Options
) -> None:
    """Checks that two functions have one normal form.

    Requires: as of a proof by dataflow (`hecv.replay.dataflow`).
    Raises: Rejected.
    """
    try:
        pair = Pair(pool, *functions, constraints, options.index_width)
    except (Refused, NotAffine) as problem:
        raise Rejected("form", f"isl does not hold {problem.text}") from None
    if not is_same(pair):
        raise Rejected("form", "the functions do not have one normal form")
