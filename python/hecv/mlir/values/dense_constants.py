"""Dense constants: literals of vectors and tensors, and the contents of globals.

A tensor literal is a constant memory, as is the global that bufferization makes of it; two with the same contents are
one. The elements of a vector literal are stored one by one; reading one at a literal index gives the literal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from math import isnan, prod
from typing import Final

from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term, TermPool, literal
from hecv.base.types import FloatType, IndexType, IntType
from hecv.mlir.module.parsed_module import locate
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate, Terms, whole
from hecv.mlir.read.scalar_ops import literal_of
from hecv.mlir.values.aggregate_values import Shape, held, listed, same, shape_of, sizes
from hecv.mlir.values.lane_functions import progression
from hecv.program.index.exact_integers import signed
from hecv.program.tree import Constant, Memory, MemoryKind

MOST_STORED: Final = 4096
"""Elements of a constant that are stored one by one, at most."""

MOST_LISTED: Final = 100_000
"""Elements of a constant, at most, to be listed, unless all are equal. Of a longer one a proof only knows whether it
has the same bytes as another; runs read the bytes."""

_ITERATED: Final = frozenset(
    (FloatType("f32"), FloatType("f64"), IndexType(), *(IntType(width) for width in (1, 8, 16, 32, 64)))
)
"""Types for which the bindings list the elements; for others the text is parsed."""


def constant(scalar: Handler) -> Handler:
    """Extends a handler of constants to aggregates.

    Example: `%c = arith.constant dense<[1.0, 2.0]> : vector<2xf32>`.
    """

    def read(reader: Reader, op: ir.Operation) -> None:
        kind = shape_of(reader, op, op.result.type)
        if kind is None:
            scalar(reader, op)
        else:
            reader.aggregates[op.result] = _aggregate(reader, op, kind)

    return read


def _aggregate(reader: Reader, op: ir.Operation, kind: Shape) -> Aggregate:
    if isinstance(ir.ShapedType(op.result.type).element_type, ir.ComplexType):
        return _complex_constant(reader, op, kind)
    attribute, extents = op.attributes["value"], sizes(reader, op, kind)
    if not isinstance(attribute, ir.DenseElementsAttr):
        reader.reject(op, f"the constant `{str(attribute)[:80]}` is not supported")
    if attribute.is_splat:
        return same(extents, literal_of(reader, op, attribute.get_splat_value(), kind.element))
    if isinstance(op.result.type, ir.VectorType):
        return _stored(reader, op, kind, attribute)
    contents = _contents(reader, op, attribute, kind)
    if contents is not None and len(contents) == 1:
        return same(extents, contents[0])
    packed = _packed(reader, op, attribute) if contents is None else b""
    number = _numbered(reader.pool, contents, packed, kind)
    if number not in reader.constants:
        memory = reader.new_memory(MemoryKind.GLOBAL, kind.element, extents)
        reader.constant.add(memory.id)
        reader.constants[number] = Constant(number, memory, contents, packed)
    return held(reader, whole(reader.pool, reader.constants[number].memory))


def _stored(reader: Reader, op: ir.Operation, kind: Shape, attribute: ir.DenseElementsAttr) -> Aggregate:
    count = prod(n or 0 for n in kind.extents)
    if count > MOST_STORED:
        reader.reject(op, f"a constant of {count} elements; {MOST_STORED} are supported")
    values = elements(reader, op, attribute, kind)
    compared = all(use.owner.name == "arith.cmpi" for use in op.result.uses)
    steps = progression(reader, sizes(reader, op, kind), values, compared)
    return steps or _known(listed(reader, op, kind, values), values)


def _known(stored: Aggregate, values: Sequence[Term]) -> Aggregate:
    """Stored elements; the element at a literal index is the literal in `values`, which are in row-major order."""
    counts = [int(literal(n) or 0) for n in stored.extents]

    def element(op: ir.Operation, at: Terms) -> Term:
        place = 0
        for index, count in zip(map(literal, at), counts, strict=True):
            if not isinstance(index, int) or not 0 <= index < count:
                return stored.element(op, at)
            place = place * count + index
        return values[place]

    return replace(stored, element=element)


def _complex_constant(reader: Reader, op: ir.Operation, kind: Shape) -> Aggregate:
    """A constant of complex numbers, parsed from its text: the bindings do not know its attribute."""
    text, element = str(op), ir.ComplexType(ir.ShapedType(op.result.type).element_type).element_type
    matched = re.search(r"dense<([^\"]*)> : (?:tensor|vector)<", text, re.DOTALL)
    parts = re.findall(r"[^\[\](),\s]+", matched[1]) if matched else []
    count = prod(n or 0 for n in kind.extents)
    if matched is None or len(parts) not in (2, count) or count > MOST_STORED:
        reader.reject(op, f"the constant `{text[:80]}` is not supported")
    with op.context:
        values = [literal_of(reader, op, ir.Attribute.parse(f"{p} : {element}"), kind.element) for p in parts]
    return listed(reader, op, kind, values if len(parts) == count else values * (count // 2))


# Contents


def global_constant(reader: Reader, declared: ir.Operation, kind: Shape, memory: Memory) -> Constant:
    """A constant global with known contents.

    Raises: Unsupported.
    """
    source = declared.attributes["initial_value"]
    if not isinstance(source, ir.DenseElementsAttr):
        raise _unsupported(reader, declared, "contents that are no dense list are not supported")
    contents = _contents(reader, declared, source, kind)
    packed = _packed(reader, declared, source) if contents is None else b""
    return Constant(_numbered(reader.pool, contents, packed, kind), memory, contents, packed)


def _contents(reader: Reader, op: ir.Operation, source: ir.DenseElementsAttr, kind: Shape) -> tuple[Term, ...] | None:
    """The elements in row-major order, a single one if all are equal; None if they are too many to list.

    Raises: Unsupported for types whose elements are unknown.
    """
    if source.is_splat:
        one = source.get_splat_value()
        is_float = isinstance(kind.element, FloatType)
        return (literal_of(reader, op, one, kind.element) if is_float else _literal(reader.pool, kind, one.value),)
    if not isinstance(source, ir.DenseIntElementsAttr | ir.DenseFPElementsAttr):
        raise _unsupported(reader, op, f"{len(source)} elements of type `{kind.element}` are not supported")
    if len(source) > MOST_LISTED:
        return None
    listed = _listed(reader, op, source, kind)
    return listed[:1] if len(set(listed)) == 1 else listed


def _listed(reader: Reader, op: ir.Operation, source: ir.DenseElementsAttr, kind: Shape) -> tuple[Term, ...]:
    if kind.element in _ITERATED:
        values = list(source)
        if not any(map(isnan, values)):  # the text says which NaN
            return tuple([_literal(reader.pool, kind, value) for value in values])
    return tuple(elements(reader, op, source, kind))


def _numbered(pool: TermPool, contents: tuple[Term, ...] | None, packed: bytes, kind: Shape) -> int:
    """The number of a constant with these contents: the id of a term for them, made only for comparison.

    Hash-consing identifies equal contents; for contents that are not listed, a digest of the bytes does.
    """
    attributes: tuple[tuple[str, object], ...] = (("shape", tuple(n or 0 for n in kind.extents)),)
    if contents is None:
        attributes += (("digest", sha256(packed).hexdigest()),)
    return pool.make("contents", contents or (), kind.element, attributes).id


def _unsupported(reader: Reader, op: ir.Operation, why: str) -> Unsupported:
    return Unsupported(f"op `{op.name}`: {why}", locate(op.location, reader.module.file))


def _literal(pool: TermPool, kind: Shape, value: float | int) -> Term:
    match kind.element:
        case FloatType() as element:
            return pool.real(float(value), element)
        case IntType(width) as element:
            return pool.integer(int(value) % (1 << width), element)
        case element:  # an index, which the bindings may give as a residue
            return pool.integer(signed(int(value) % (1 << 64), 64), element)


def elements(reader: Reader, op: ir.Operation, attribute: ir.DenseElementsAttr, kind: Shape) -> list[Term]:
    """The elements as literals, parsed from the attribute's text, which is exact for every type."""
    element, text = ir.ShapedType(attribute.type).element_type, _text(attribute)
    if text.startswith('"'):
        return [literal_of(reader, op, one, kind.element) for one in _unpacked(reader, op, attribute, element)]
    with op.context:
        found = [
            ir.Attribute.parse(one if one in ("true", "false") else f"{one} : {element}")
            for one in re.findall(r"[^\[\],\s]+", text)
        ]
    return [literal_of(reader, op, one, kind.element) for one in found]


def _text(attribute: ir.DenseElementsAttr) -> str:
    """The elements as a list, or as the bytes of all where MLIR prints these."""
    return str(attribute).removeprefix("dense<").removesuffix(f"> : {attribute.type}")


def _unpacked(
    reader: Reader, op: ir.Operation, attribute: ir.DenseElementsAttr, element: ir.Type
) -> list[ir.Attribute]:
    """The elements of an attribute that is printed as bytes."""
    if str(element) == "i1":
        reader.reject(op, f"a constant of {len(attribute)} elements of {element} is not supported")
    data = _packed(reader, op, attribute)
    size = len(data) // len(attribute)
    parts = (data[k : k + size][::-1] for k in range(0, len(data), size))
    with op.context:
        if isinstance(element, ir.FloatType):
            return [ir.Attribute.parse(f"0x{part.hex()} : {element}") for part in parts]
        return [ir.IntegerAttr.get(element, int.from_bytes(part, signed=True)) for part in parts]


def _packed(reader: Reader, op: ir.Operation, attribute: ir.DenseElementsAttr) -> bytes:
    """The elements as stored in memory: whole bytes, in order, little-endian.

    Requires: so many elements that MLIR prints their bytes.
    Raises:   Unsupported if an element is not whole bytes.
    """
    text = _text(attribute)
    data = bytes.fromhex(text.strip('"').removeprefix("0x")) if text.startswith('"') else b""
    if not data or len(data) % len(attribute):
        kind = ir.ShapedType(attribute.type).element_type
        raise _unsupported(reader, op, f"{len(attribute)} elements of type `{kind}` are not supported")
    return data
