"""Laws of `math.clampf`: the extrema that it may be expanded to, which LangRef leaves open.

Its value is open for NaN, and for zeros of different sign; if the bounds cross it is poison. So it may be the extrema
that `math-expand-ops` makes of it, the same ones at every use, and never the reverse.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, TermPool, postorder
from hecv.ops.facts.poison_conditions import CLAMP

RULE: Final = "clampf-as-extrema"


def expanded(pool: TermPool, source: Term, target: Term) -> Term | None:
    """The source with each `clampf` as `maximumf(minimumf(value, high), low)`, whose flags make poison of the same
    operands; None if it has none, or the target has one.

    Requires: the target's whole function has no `clampf`; else two uses of one value could be expanded differently.
    """
    if not _clamps(source) or _clamps(target):
        return None
    made: dict[int, Term] = {}
    for term in postorder((source,)):
        args = tuple([made[a.id] for a in term.args])
        if term.op == CLAMP:
            value, low, high = args
            least = pool.make("arith.minimumf", (value, high), term.type, term.attrs)
            made[term.id] = pool.make("arith.maximumf", (least, low), term.type, term.attrs)
        else:
            made[term.id] = term if args == term.args else pool.make(term.op, args, term.type, term.attrs)
    return made[source.id]


def _clamps(root: Term) -> bool:
    return any(t.op == CLAMP for t in postorder((root,)))
