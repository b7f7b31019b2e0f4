"""What stands for the values of terms, found where these are read (`hecv.frontend.ahead`)."""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.term import Term
from hecv.base.types import FloatType
from hecv.base.value import Scalar
from hecv.egraph.fingerprints import Column, Fingerprints, Print, compile_column, print_of
from hecv.execute.python import LeftOpen


def prints_of(terms: Sequence[Term], index_width: int) -> list[Print | None]:
    """What stands for the values of terms, operands before users, in whatever process; None where values depend on the
    numbers of terms, or are NaN."""
    leaves = Fingerprints(index_width)
    columns: dict[tuple[object, ...], Column | None] = {}
    values: dict[int, Sequence[Scalar]] = {}
    found: list[Print | None] = []
    for term in terms:
        if term.args:
            key = (term.op, term.attrs, id(term.type), *[id(a.type) for a in term.args])
            if key not in columns:
                columns[key] = compile_column(term, index_width)
            own = _values(term, values, columns[key])
        else:
            own = leaves.of(term)
        if own is None or (isinstance(term.type, FloatType) and any(v != v for v in own)):
            found.append(None)
            continue
        values[term.id] = own
        found.append(print_of(own))
    return found


def _values(term: Term, values: dict[int, Sequence[Scalar]], column: Column | None) -> Sequence[Scalar] | None:
    if column is None:
        return None
    try:
        return column(*[values[a.id] for a in term.args])
    except (KeyError, LeftOpen):
        return None
