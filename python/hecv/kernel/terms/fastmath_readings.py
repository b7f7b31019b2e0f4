"""Fast-math readings: what the source's flags let its term be computed as, and the target's term without them.

A licence makes the value of a term one of several. The choice is the source's: whatever its licence allows may be
chosen, and what the target may compute has to be among it. So it suffices that the target refines one of these terms;
nothing of the converse follows. There are two kinds of readings, both of `hecv.laws.floats.fastmath_licences`, whose
laws are trusted:

- Minima and maxima of numbers, with `nnan` and `nsz`, are computed in one of several ways, each with the flags that
  make poison.
- `arithmetic`: ops are computed by laws, each of a flag that all arithmetic of the source's term has; each op of the
  resulting term has these flags. It is compared without them, as one of its values is what its ops say. The target has
  one value if its arithmetic has no flags. If it has some, which all of the source's must have, both have to be one
  term without flags: then what the target may compute, and be poison of, the source may, too. Equal terms are not
  enough: `x + x + c` has one value, `2 * x + c` that may be contracted has another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hecv.base.term import Term, TermPool, postorder
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import Reading
from hecv.laws.floats.fastmath_licences import LICENSED, WAYS, Step, changed, without_flags
from hecv.ops.fastmath_flags import ARITHMETIC, flags_of

LAWS: Final = {law.name: law for law in LICENSED}


def read(pool: TermPool, source: Term, target: Term, readings: Sequence[Reading]) -> tuple[Term, Term]:
    """The terms to compare, after the readings.

    Requires: floats are rounded as ops say, except for what their flags allow.
    Raises: Rejected if the flags do not allow a reading.
    """
    for number, (name, steps) in enumerate(readings):
        step = f"reading {number}"
        if name == "arithmetic":
            source, target = _of_arithmetic(pool, source, target, steps, step)
        elif name in WAYS and not steps:
            source = changed(pool, source, name)
        else:
            raise Rejected(step, f"nothing is read as '{name}' so")
    return source, target


def _of_arithmetic(pool: TermPool, source: Term, target: Term, steps: Sequence[Step], step: str) -> tuple[Term, Term]:
    ours, theirs = _flags(source), _flags(target)
    allowed = frozenset[str].intersection(*ours) if ours else frozenset[str]()
    if not all(flags <= allowed for flags in theirs):
        raise Rejected(step, "the target has a flag that not all arithmetic of the source has")
    laws = dict[int, tuple[str, int]]()
    for number, law, which in steps:
        if law not in LAWS or LAWS[law].licence not in allowed:
            raise Rejected(step, f"no flag of all arithmetic of the source licenses '{law}'")
        if number in laws:
            raise Rejected(step, "an op is computed in two ways")
        laws[number] = law, which
    first, second = (without_flags(pool, term, ARITHMETIC) for term in (source, target))
    made = _computed(pool, first, laws, step)
    if made is not second and any(theirs):
        raise Rejected(step, "flags of the target may let it be what the source is not seen to compute")
    return made, second


def _computed(pool: TermPool, source: Term, laws: dict[int, tuple[str, int]], step: str) -> Term:
    """The source with ops computed by laws."""
    made: dict[int, Term] = {}
    order = postorder((source,))
    if not laws.keys() <= set(range(len(order))):
        raise Rejected(step, "there is no such op")
    for number, term in enumerate(order):
        args = tuple([made[a.id] for a in term.args])
        own = term if args == term.args else pool.make(term.op, args, term.type, term.attrs)
        if number in laws:
            law, which = laws[number]
            ways = list(LAWS[law].rewrite(pool, own))
            if not 0 <= which < len(ways):
                raise Rejected(step, f"'{law}' says nothing of {term.op} here")
            own = ways[which]
        made[term.id] = own
    return made[source.id]


def _flags(root: Term) -> list[frozenset[str]]:
    """The flags of all arithmetic of a term."""
    return [flags_of(t.attrs) for t in postorder((root,)) if t.op in ARITHMETIC]
