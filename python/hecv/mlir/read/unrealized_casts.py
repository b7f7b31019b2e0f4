"""Casts of a conversion that is under way: `builtin.unrealized_conversion_cast`.

Casts to a type and back undo each other. Any other cast is an uninterpreted function of its operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from torch_mlir import ir

from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.uninterpreted_ops import CAST, read_opaque


def _read_cast(reader: Reader, op: ir.Operation) -> None:
    """Example: `%y = builtin.unrealized_conversion_cast %x : i64 to index`."""
    given, results = _given(op), list(op.results)
    if [v.type for v in given] == [r.type for r in results]:
        for value, result in zip(given, results, strict=True):
            reader.bind(result, reader.value(value))
    elif any(use.owner.operation.name != CAST for result in results for use in result.uses):
        _read_function(reader, op)


def _read_function(reader: Reader, op: ir.Operation) -> None:
    """Reads a cast as a function of its operands; casts that only casts use are read where one of these needs them."""
    for owner in [v.owner for v in op.operands if v not in reader.scalars]:
        if not isinstance(owner, ir.Block) and owner.operation.name == CAST:
            _read_function(reader, owner.operation)
    read_opaque(reader, op)


def _given(op: ir.Operation) -> Sequence[ir.Value]:
    """What a chain of casts begins with: the first values that have the types of its results, else the operands."""
    given, wanted = list(op.operands), [r.type for r in op.results]
    first = given
    while [v.type for v in given] != wanted:
        owner = given[0].owner if given else None
        if owner is None or isinstance(owner, ir.Block):
            return first
        maker = owner.operation
        if maker.name != CAST or list(maker.results) != given:
            return first
        given = list(maker.operands)
    return given


HANDLERS: Final[Mapping[str, Handler]] = {CAST: _read_cast}
