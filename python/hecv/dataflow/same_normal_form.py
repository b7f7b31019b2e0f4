"""Pairs with one normal form: both programs become the same statements, so isl has nothing to show.

The normal form (`hecv.normal.passes`) keeps the meaning of a program: unrolled copies are re-rolled, strips and split
loops are joined. Two programs with one normal form are equal whatever their ops mean, on all inputs and for all sizes,
and each is undefined where the other is.

Not applied if a normal form stands for its program only under premises (index arithmetic in a condition is exact), or
to memory as a whole, which calls may change. A normal form does not say when a statement under a data-dependent
condition runs, only what it writes; so all accesses of such a statement must be defined in any case.
"""

from __future__ import annotations

from hecv.dataflow.obligations.use_after_free import dead_access
from hecv.dataflow.pair_model import Pair, Side
from hecv.normal.alpha_equivalence import same_form
from hecv.program.tree import Assert, Call, If, walk


def is_same(pair: Pair) -> bool:
    """Whether both programs have one normal form, which stands for each without premises."""
    sides = (pair.source, pair.target)
    if pair.indirect or any(_has_premises(side) for side in sides):
        return False
    if any(isinstance(s, Call) for side in sides for s in walk(side.function.body)):
        return False
    functions, bodies = (pair.source.function, pair.target.function), (pair.source.body, pair.target.body)
    same = same_form(pair.pool, functions, bodies) and all(
        dead_access(body, pair.parameters.index_width) is None for body in bodies
    )
    return same and pair.is_guarded_in_bounds()


def _has_premises(side: Side) -> bool:
    """Whether the normal form stands for its program only under premises, or isl's view of a guarded statement does."""
    premises = any(s.exact for s in walk(side.body) if isinstance(s, If | Assert))
    return premises or (bool(side.flat.inexact) and any(s.guarded for s in side.flat.statements))
