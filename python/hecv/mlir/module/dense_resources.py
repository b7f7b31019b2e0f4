"""`dense_resource` attributes, whose contents stand at the end of the file; model exporters write large constants so.

Example: `dense_resource<weight> : tensor<4xf32>`, and at the end of the file
`{-# dialect_resources: { builtin: { weight: "0x04000000..." } } #-}`: the alignment in 4 bytes, then the elements,
little-endian. In the parsed module such an attribute is replaced by the equal `dense` one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import prod
from typing import Final

from torch_mlir import ir

RESOURCE: Final = "dense_resource<"
"""The start of a resource attribute, whose contents are not in the text of its op."""

_ATTRIBUTE: Final = re.compile(r'dense_resource<("?)(?P<name>.*)\1> : (?P<type>(?:tensor|vector)<.*>)', re.DOTALL)
_BLOB: Final = re.compile(r'^\s*("?)(?P<name>\S.*?)\1: "0x(?P<data>[0-9A-Fa-f]*)",?$', re.MULTILINE)
_ALIGNMENT: Final = 4
"""Bytes before the elements, which state their alignment."""


def expand(module: ir.Module) -> bool:
    """Replaces each resource attribute of an op by its contents; True if there is one.

    A resource that is not a list of elements of whole bytes is left.
    """
    contents, changed = _blobs(str(module)), False
    for op in _ops(module.operation):
        for name in list(op.attributes):
            made = _dense(op.attributes[name], contents)
            if made is not None:
                op.attributes[name], changed = made, True
    return changed


def _blobs(text: str) -> dict[str, bytes]:
    """The resources in MLIR's printed module by name, without their alignment; a name that two of them share is left
    out."""
    found = [(m["name"], m["data"]) for m in _BLOB.finditer(text, text.rfind("{-#"))]
    names = Counter(name for name, _ in found)
    return {name: bytes.fromhex(data)[_ALIGNMENT:] for name, data in found if names[name] == 1 and len(data) % 2 == 0}


def _ops(op: ir.Operation) -> Iterator[ir.Operation]:
    yield op
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _ops(inner.operation)


def _dense(attribute: ir.Attribute, contents: dict[str, bytes]) -> ir.Attribute | None:
    text = str(attribute)
    found = _ATTRIBUTE.fullmatch(text) if text.startswith(RESOURCE) else None
    data = contents.get(found["name"]) if found else None
    if found is None or data is None:
        return None
    kind = ir.ShapedType(ir.Type.parse(found["type"], attribute.context))
    element = kind.element_type
    if not isinstance(element, ir.IntegerType | ir.FloatType | ir.IndexType):
        return None
    if element == ir.IntegerType.get_signless(1, attribute.context):
        return _truths(kind, data)
    bits = 64 if isinstance(element, ir.IndexType) else element.width
    if not kind.has_static_shape or bits % 8 or len(data) * 8 != prod(kind.shape) * bits or not data:
        return None
    try:
        return ir.Attribute.parse(f'dense<"0x{data.hex()}"> : {kind}', attribute.context)
    except ir.MLIRError:  # elements of another size in memory
        return None


def _truths(kind: ir.ShapedType, data: bytes) -> ir.Attribute | None:
    """One-bit elements, each stored as a byte 0 or 1.

    Cites: MLIR, DenseBoolResourceElementsAttr, whose elements are `bool`.
    """
    if not kind.has_static_shape or len(data) != prod(kind.shape) or not data or max(data) > 1:
        return None
    words = ["true" if byte else "false" for byte in data]
    for extent in reversed(kind.shape):
        words = [f"[{', '.join(words[k : k + extent])}]" for k in range(0, len(words), extent)]
    return ir.Attribute.parse(f"dense<{words[0]}> : {kind}", kind.context)
