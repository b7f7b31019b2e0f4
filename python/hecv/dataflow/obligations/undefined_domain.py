"""The parameters for which a program is undefined for all contents of memory: bounds, extents, assertions, loops,
races."""

from __future__ import annotations

import islpy as isl

from hecv.dataflow.model.scop import Access, Flattened, Instances
from hecv.dataflow.model.value_dataflow import Isl
from hecv.dataflow.obligations.loop_races import racing
from hecv.dataflow.obligations.no_wrap import where


def undefined(space: Isl, program: Flattened, guarded: bool = False) -> isl.Set:
    """The parameters for which an access is out of bounds, an extent negative, an assertion false, an `iN` loop wraps
    or a parallel loop races.

    An under-approximation; with `guarded` an over-approximation, which also counts accesses of `guarded` statements,
    which may not happen, and writes whose order is only left open. If the program is `asserted`, assertions stand for
    the accesses of guarded statements.
    """
    result = space.known.subtract(space.known)
    for statement, outside in _accessing(program, guarded and not program.asserted):
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


def possibly_undefined(space: Isl, program: Flattened, certain: isl.Set) -> isl.Set:
    """The over-approximation of `undefined`, given the under-approximation: both are equal if all statements run, and
    no loop leaves open which write comes last."""
    if not any(s.guarded for s in program.statements) and not any(loop.overwrites for loop in program.parallel):
        return certain
    return undefined(space, program, guarded=True)


def _accessing(program: Flattened, guarded: bool) -> list[tuple[Instances, list[str]]]:
    """For each domain that statements have a statement with it, and when one of them accesses what is out of bounds:
    isl reads each domain once."""
    first: dict[tuple[str, ...], Instances] = {}
    outside: dict[tuple[str, ...], set[str]] = {}
    for statement in program.statements:
        if statement.guarded and not guarded:
            continue
        write = () if statement.write is None else (statement.write,)
        found = {_outside(a) for a in (*statement.reads.values(), *write)} - {""}
        if found:
            domain = (*statement.dims, statement.domain_text())
            outside.setdefault(domain, set()).update(found)
            first.setdefault(domain, statement)
    return [(statement, sorted(outside[domain])) for domain, statement in first.items()]


def _outside(access: Access) -> str:
    subscripts = access.indices[access.private :]
    return " or ".join(f"{i} < 0 or {i} >= {n}" for i, n in zip(subscripts, access.extents, strict=True))
