"""Bufferized targets: the target takes and returns memrefs where the source has tensors.

Nobody sees what the target does to the buffer of a tensor argument, and of a returned one only the contents count. So
the buffer is copied at the start of the function, and that copy is read and written. A buffer that the source marks as
not writable may not be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from torch_mlir import ir

from hecv.mlir.module.parsed_module import ParsedModule, Signature

_TENSOR: Final = re.compile(r"tensor<([^<>,]*)>")
_MEMREF: Final = re.compile(r"memref<([^<>,]*)(?:, .*)?>")


_WRITABLE: Final = "bufferization.writable"


class Bufferized(Struct, frozen=True):
    """The numbers of the arguments and results that are tensors in the source and memrefs in the target.

    The source marks the buffers of the arguments `unwritable` as not writable.
    """

    arguments: frozenset[int] = frozenset()
    results: frozenset[int] = frozenset()
    unwritable: frozenset[int] = frozenset()


def same_signature(source: Signature, target: Signature) -> bool:
    """True if two functions can be compared: the same types, except that a tensor may be a memref of the same shape
    in the target."""
    if (source.op, source.type_text) == (target.op, target.type_text):
        return True
    ours, theirs = ((s.argument_types, s.result_types) for s in (source, target))
    if source.op != target.op or [len(x) for x in ours] != [len(x) for x in theirs]:
        return False
    return all(
        a == b or _is_buffer_of(b, a) for x, y in zip(ours, theirs, strict=True) for a, b in zip(x, y, strict=True)
    )


def _is_buffer_of(memref: str, tensor: str) -> bool:
    first, second = _TENSOR.fullmatch(tensor), _MEMREF.fullmatch(memref)
    return first is not None and second is not None and first[1] == second[1]


def bufferized(modules: tuple[ParsedModule, ParsedModule], names: tuple[str, str]) -> Bufferized:
    """What bufferization changed in the type of a function."""
    kinds = [m.symbols[name] for m, name in zip(modules, names, strict=True)]
    if any(op.name != "func.func" for op in kinds):
        return Bufferized()
    types = [ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value) for op in kinds]
    arguments = _changed(list(types[0].inputs), list(types[1].inputs))
    results = _changed(list(types[0].results), list(types[1].results))
    return Bufferized(arguments, results, arguments & frozenset(_unwritable(kinds[0])))


def _unwritable(op: ir.Operation) -> Iterator[int]:
    given = ir.ArrayAttr(op.attributes["arg_attrs"]) if "arg_attrs" in op.attributes else ()
    for number, attributes in enumerate(map(ir.DictAttr, given)):
        if _WRITABLE in attributes and str(attributes[_WRITABLE]) == "false":
            yield number


def _changed(source: list[ir.Type], target: list[ir.Type]) -> frozenset[int]:
    pairs = enumerate(zip(source, target, strict=True))
    return frozenset(k for k, (a, b) in pairs if isinstance(a, ir.RankedTensorType) and isinstance(b, ir.MemRefType))
