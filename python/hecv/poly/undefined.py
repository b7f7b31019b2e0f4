"""The parameters for which a program is undefined whatever memory holds: bounds, extents, assertions, loops, races."""

from __future__ import annotations

import islpy as isl

from hecv.poly.dataflow import Isl
from hecv.poly.premises import where
from hecv.poly.races import racing
from hecv.poly.statements import Access, Flattened


def undefined(space: Isl, program: Flattened, guarded: bool = False) -> isl.Set:
    """The parameters for which some access is out of bounds, an extent negative, an assertion false or an `iN` loop
    wraps.

    Accesses of `guarded` statements may not happen: they count only where asked for, which makes the answer an
    over-approximation and else an under-approximation. Where the program is `asserted`, operators of its own stand
    for them.
    """
    result = space.known.subtract(space.known)
    for statement in program.statements:
        if statement.guarded and (program.asserted or not guarded):
            continue
        accesses = list(statement.reads.values())
        if statement.write is not None:
            accesses.append(statement.write)
        outside = sorted({_outside(a) for a in accesses} - {""})
        if outside:
            result = result.union(where(space, statement, " or ".join(outside)))
    for statement, extent in program.negative:
        result = result.union(where(space, statement, f"{extent} < 0"))
    for statement, broken in program.broken:
        result = result.union(where(space, statement, f"({broken})"))
    for statement, beyond in program.wraps:
        result = result.union(where(space, statement, beyond))
    if program.parallel:
        result = result.union(racing(space, program, guarded))
    return space.coalesced(result)


def _outside(access: Access) -> str:
    subscripts = access.indices[access.private :]
    return " or ".join(f"{i} < 0 or {i} >= {n}" for i, n in zip(subscripts, access.extents, strict=True))
