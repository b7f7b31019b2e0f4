"""What stands for the values of terms, found where these are read (`hecv.frontend.ahead`)."""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.term import Term
from hecv.base.types import FloatType
from hecv.base.value import Scalar
from hecv.egraph.fingerprints import Fingerprints, Print, print_of
from hecv.egraph.kinds import Kinds
from hecv.execute.python import LeftOpen


def prints_of(terms: Sequence[Term], index_width: int) -> list[Print | None]:
    """What stands for the values of terms, operands before users, in whatever process; None where values depend on the
    numbers of terms, or are NaN."""
    kinds, leaves = Kinds(index_width), Fingerprints(index_width)
    values: dict[int, Sequence[Scalar]] = {}
    found: list[Print | None] = []
    for term in terms:
        own = _values(term, values, kinds) if term.args else leaves.of(term)
        if own is None or (isinstance(term.type, FloatType) and any(v != v for v in own)):
            found.append(None)
            continue
        values[term.id] = own
        found.append(print_of(own))
    return found


def _values(term: Term, values: dict[int, Sequence[Scalar]], kinds: Kinds) -> Sequence[Scalar] | None:
    column = kinds.of(term, list(term.args)).column
    if column is None:
        return None
    try:
        return column(*[values[a.id] for a in term.args])
    except (KeyError, LeftOpen):
        return None
