"""Pairs of which the normal forms are one program: nothing is left for isl to show.

The normal form does what the program says (`hecv.normal.passes`, `reroll`, `handing`, `pieces`): copies that
an unroller made are a loop again, loops that were cut in strips or in two are one. Two programs with one form are equal
whatever their ops mean, on all inputs and for all sizes, and each is undefined where the other is.

It is not asked where a form stands for its program only under premises (index arithmetic in a condition is exact), and
of memory as a whole, which calls may change. A form does not say when a statement runs that a condition on data guards,
but what it writes: so all that such a statement accesses has to be defined in any case.
"""

from __future__ import annotations

from hecv.dataflow.obligations.use_after_free import dead_access
from hecv.dataflow.pair_model import Pair, Side
from hecv.normal.alpha_equivalence import same_form
from hecv.program.tree import Assert, Call, If, walk


def is_same(pair: Pair) -> bool:
    """Whether both programs have one normal form, which stands for each without further premises."""
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
    """Whether a form stands for its program under premises only, or isl, which may be asked what is guarded, reads it
    under some."""
    premises = any(s.exact for s in walk(side.body) if isinstance(s, If | Assert))
    return premises or (bool(side.flat.inexact) and any(s.guarded for s in side.flat.statements))
