"""`affine.apply`, `affine.min` and `affine.max`: index values computed by affine maps.

Subscripts and bounds are assumed not to overflow. If such a value is used otherwise (stored, cast, compared, passed
on), the intermediate values of its map are recorded by assertions that always hold, as for an `affine.if`: then inputs
on which they overflow can be found (`hecv.dataflow.induction.wrapping_indices`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torch_mlir import ir

from hecv.base.term import Term
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.program.index import quasi_affine

_BOUNDED = frozenset(("affine.for", "affine.if", "affine.parallel", "memref.alloc", "memref.alloca", "tensor.empty"))
"""Ops whose index operands are only bounds and extents."""

_PLACED = frozenset(
    f"{dialect}.{name}"
    for dialect, names in (
        ("affine", ("load", "store", "vector_load", "vector_store")),
        ("memref", ("load", "store", "subview", "reinterpret_cast")),
        ("vector", ("load", "store", "transfer_read", "transfer_write")),
        ("tensor", ("extract", "extract_slice", "insert_slice", "parallel_insert_slice")),
    )
    for name in names
)
"""Ops whose operands after the first say where elements lie."""

_PASSING = frozenset(("affine.apply", "affine.min", "affine.max", "affine.linearize_index"))
"""Ops whose result depends directly on an index operand."""


def _read_apply(reader: Reader, op: ir.Operation) -> None:
    """Example: `%j = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%n]`."""
    operands = reader.terms(op, op.operands)
    reader.scalars[op.result] = reader.apply_map(op, op.attributes["map"], operands)[0]
    note(reader, op, reader.steps(op.attributes["map"], operands))


def _read_extremum(reader: Reader, op: ir.Operation) -> None:
    """Example: `%m = affine.min affine_map<(d0) -> (8, 100 - d0)>(%i)`."""
    operands = reader.terms(op, op.operands)
    choices = reader.apply_map(op, op.attributes["map"], operands)
    reader.scalars[op.result] = quasi_affine.extremum(reader.pool, op.name, choices)
    # Sums are right in the end whatever happens on the way, but not where they are compared.
    note(reader, op, (*reader.steps(op.attributes["map"], operands), *choices))


def note(reader: Reader, op: ir.Operation, steps: Iterable[Term]) -> None:
    """Records that an op computes `steps`, if its index result is used otherwise than as a subscript or bound."""
    found = [s for s in steps if s.args]
    if found and _is_value(op.result):
        for step in found:
            reader.compute(op, step)


def _is_value(index: ir.Value) -> bool:
    """True if an index is used otherwise than as a subscript, bound or extent."""
    seen: set[ir.Value] = set()
    rest = [index]
    while rest:
        value = rest.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            owner = use.owner.operation
            if owner.name in _PASSING:
                rest.append(owner.result)
            elif owner.name not in _BOUNDED and not (owner.name in _PLACED and use.operand_number):
                return True
    return False


HANDLERS: Mapping[str, Handler] = {
    "affine.apply": _read_apply,
    "affine.min": _read_extremum,
    "affine.max": _read_extremum,
}
