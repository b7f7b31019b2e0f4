"""Aggregate values: vectors and tensors, read element by element.

An op that computes writes its result once, by a loop nest over its elements, to a memory of its own, so that all that
is known of loops and memory applies. An op that only moves elements computes nothing: its result renumbers the elements
of its operand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Final

from msgspec import Struct
from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import INDEX, ScalarType
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate, View, both, compare, position, subscripts, whole
from hecv.mlir.read.mlir_types import read_scalar
from hecv.mlir.values.lane_functions import computed, computes, is_mask, is_never_poison
from hecv.program.tree import Block, If, Load, Loop, Memory, MemoryKind

Terms = tuple[Term, ...]

AGGREGATES: Final = (ir.VectorType, ir.RankedTensorType, ir.ComplexType)
"""Types that are aggregates."""


class Shape(Struct, frozen=True):
    """The type of an aggregate; a dynamic extent is None."""

    extents: tuple[int | None, ...]
    element: ScalarType


def shape_of(reader: Reader, op: ir.Operation, source: ir.Type) -> Shape | None:
    """The shape of a vector, tensor or complex type that is read element by element; None for another type.

    Raises: Unsupported for scalable vectors, tensors with an encoding, and elements without semantics.
    """
    if not reader.by_element or not isinstance(source, AGGREGATES):
        return None
    if isinstance(source, ir.ComplexType):
        part = read_scalar(source.element_type)
        return reader.reject(op, f"type `{source}` is not supported") if part is None else Shape((2,), part)
    if isinstance(source, ir.RankedTensorType) and source.encoding is not None:
        reader.reject(op, f"type `{source}`: an encoding is not supported")
    if isinstance(source, ir.VectorType) and source.scalable:
        reader.reject(op, f"type `{source}`: the length of a scalable vector is not known")
    inner = source.element_type
    lanes = (2,) if isinstance(inner, ir.ComplexType) else ()
    element = read_scalar(inner.element_type if isinstance(inner, ir.ComplexType) else inner)
    if element is None:
        reader.reject(op, f"type `{source}` is not supported")
    dynamic = ir.ShapedType.get_dynamic_size()
    return Shape((*(None if n == dynamic else n for n in source.shape), *lanes), element)


def shape(reader: Reader, op: ir.Operation, source: ir.Type) -> Shape:
    """The shape of a type that must be an aggregate.

    Raises: Unsupported for another type.
    """
    return shape_of(reader, op, source) or reader.reject(op, f"type `{source}` is not supported here")


def sizes(reader: Reader, op: ir.Operation, kind: Shape) -> Terms:
    """The extents as terms.

    Raises: Unsupported if one is dynamic.
    """
    return tuple(
        reader.reject(op, "an extent that is not known is not supported here") if n is None else reader.pool.integer(n)
        for n in kind.extents
    )


def numbers(reader: Reader, values: Iterable[int]) -> Terms:
    """Numbers as index terms."""
    return tuple(map(reader.pool.integer, values))


# Statements


def nest(
    reader: Reader,
    op: ir.Operation,
    extents: Terms,
    body: Callable[[Terms], None],
    at: Terms = (),
    parallel: bool = False,
) -> None:
    """Emits a loop nest over all indices below `extents`, with the body that `body` emits; `at` are outer indices.

    A dimension of extent 1 gets no loop: an index from memory to which it is added then stays as it is.
    """
    if len(at) == len(extents):
        return body(at)

    def inner(iv: Term) -> None:
        nest(reader, op, extents, body, (*at, iv), parallel)

    if literal(extents[len(at)]) == 1:
        return inner(reader.pool.integer(0))

    loop(reader, op, reader.pool.integer(0), extents[len(at)], inner, parallel)


def loop(
    reader: Reader, op: ir.Operation, lower: Term, upper: Term, body: Callable[[Term], None], parallel: bool = False
) -> None:
    """Emits a loop over the indices from `lower` to `upper`."""
    number, iv = reader.number(op), reader.pool.induction(reader.loops, INDEX)
    reader.loops += 1
    outer = reader.enter(op)
    body(iv)
    block = reader.leave(outer)
    reader.loops -= 1
    reader.block.append(Loop(number, iv, (lower,), (upper,), reader.pool.integer(1), False, block, parallel))


def branch(
    reader: Reader,
    op: ir.Operation,
    condition: Term,
    then: Callable[[], None],
    otherwise: Callable[[], None] = lambda: None,
) -> None:
    """Emits a branch, unless the condition is a literal; `then` and `otherwise` emit the arms."""
    known = literal(condition)
    if known is not None:
        return then() if known else otherwise()
    number = reader.number(op)
    blocks: list[Block] = []
    for emit in (then, otherwise):
        outer = reader.enter(op)
        emit()
        blocks.append(reader.leave(outer))
    reader.block.append(If(number, condition, blocks[0], blocks[1]))


def may_branch(reader: Reader, condition: Term) -> bool:
    """True if a branch on a condition is defined: the condition is plainly never poison, or was just read from an
    argument.

    Otherwise an op without effects is poison, and must not become a branch.
    """
    last = reader.block[-1] if reader.block else None
    if condition.op == "read" and isinstance(last, Load) and condition.attr("load") == last.id:
        return last.memory.kind is MemoryKind.ARGUMENT
    return is_never_poison(condition)


# Making aggregates


def new_memory(reader: Reader, op: ir.Operation, kind: Shape) -> Memory:
    """A memory for an aggregate, to be allocated."""
    return reader.new_memory(MemoryKind.LOCAL, kind.element, sizes(reader, op, kind))


def allocate(reader: Reader, op: ir.Operation, element: ScalarType, extents: Terms) -> View:
    """A new memory for an aggregate, not yet written."""
    memory = reader.new_memory(MemoryKind.LOCAL, element, extents)
    reader.alloc(op, memory)
    return whole(reader.pool, memory)


def held(reader: Reader, view: View) -> Aggregate:
    """The aggregate that is the contents of a memory."""

    def element(op: ir.Operation, at: Terms) -> Term:
        return reader.load_element(op, view, at)

    return Aggregate(view.extents, view.memory.element, element, frozenset((view.memory.id,)), view)


def build(
    reader: Reader, op: ir.Operation, kind: ScalarType, extents: Terms, element: Callable[[Terms], Term]
) -> Aggregate:
    """A new aggregate in a memory of its own; `element` gives the element at an index, and emits what it needs."""
    made = allocate(reader, op, kind, extents)
    nest(reader, op, made.extents, lambda at: reader.store_element(op, made, at, element(at)))
    return held(reader, made)


def assign(reader: Reader, op: ir.Operation, source: Aggregate, target: View) -> None:
    """Emits stores of all elements to a memory of the same extents; the loops are to the extents of the source, which
    show what they are made of."""
    pairs = zip(source.extents, target.extents, strict=True)
    extents = tuple([own if literal(other) is None else other for own, other in pairs])
    nest(reader, op, extents, lambda at: reader.store_element(op, target, at, source.element(op, at)))


def copied(reader: Reader, op: ir.Operation, source: Aggregate) -> View:
    """A writable copy of an aggregate in a new memory."""
    view = allocate(reader, op, source.kind, source.extents)
    assign(reader, op, source, view)
    return view


def same(extents: Terms, value: Term) -> Aggregate:
    """An aggregate whose elements are all `value`."""
    return Aggregate(extents, value.type, lambda op, at: value, plain=True)


def renumbered(source: Aggregate, extents: Terms, index: Callable[[Terms], Terms]) -> Aggregate:
    """The aggregate whose element at `at` is the element of `source` at `index(at)`."""
    return Aggregate(
        extents, source.kind, lambda op, at: source.element(op, index(at)), source.memories, plain=source.plain
    )


def reshaped(reader: Reader, source: Aggregate, extents: Terms) -> Aggregate:
    """The elements of an aggregate in row-major order, as another shape with the same number of elements."""
    pool = reader.pool
    return renumbered(source, extents, lambda at: tuple(subscripts(pool, position(pool, at, extents), source.extents)))


# Elementwise ops


def elementwise(scalar: Handler) -> Handler:
    """Extends a handler of a scalar op to aggregates."""

    def read(reader: Reader, op: ir.Operation) -> None:
        if reader.aggregates and any(v in reader.aggregates for v in op.operands):
            _read_elements(reader, op, scalar)
        else:
            scalar(reader, op)

    return read


def _read_elements(reader: Reader, op: ir.Operation, scalar: Handler) -> None:
    """Reads the op once for each element: its operands are the elements at the index, or scalars."""
    operands = [v for v in dict.fromkeys(op.operands) if v in reader.aggregates]
    values = [reader.aggregates[v] for v in operands]
    if op.name == "arith.select" and op.operands[0] not in reader.aggregates:
        _require_one_shape(reader, op, values)
    extents = common_extents(reader, op, values)
    if computes(op, values):
        kind = shape(reader, op, op.result.type).element
        reader.aggregates[op.result] = computed(reader, op, extents, kind, scalar)
        return
    made = [allocate(reader, op, shape(reader, op, r.type).element, extents) for r in op.results]
    if op.name == "arith.select" and op.operands[0] in reader.aggregates:
        return _select(reader, op, made[0])

    def compute(at: Terms) -> None:
        for value in operands:
            reader.scalars[value] = reader.aggregates[value].element(op, at)
        reader.lanes += 1
        scalar(reader, op)
        reader.lanes -= 1
        for value in operands:
            del reader.scalars[value]
        for result, view in zip(op.results, made, strict=True):
            reader.store_element(op, view, at, reader.scalars.pop(result))

    nest(reader, op, made[0].extents, compute)
    for result, view in zip(op.results, made, strict=True):
        reader.aggregates[result] = held(reader, view)


def _require_one_shape(reader: Reader, op: ir.Operation, values: Sequence[Aggregate]) -> None:
    """Rejects values unless they plainly have one shape.

    A scalar condition may select between tensors of different shapes (LangRef, arith.select: "the entire vector or
    tensor is chosen").

    Raises: Unsupported.
    """
    first, *others = values
    for other in others:
        pairs = zip(first.extents, other.extents, strict=True)
        if any(literal(compare(reader.pool, "eq", a, b)) != 1 for a, b in pairs):
            reader.reject(op, "a selection of tensors whose shapes may differ is not supported")


def _select(reader: Reader, op: ir.Operation, made: View) -> None:
    """A selection for each element; a branch for each lane, if the condition is a mask."""
    mask, *values = (reader.aggregates[v] for v in op.operands)

    def store(at: Terms, value: Aggregate) -> None:
        reader.store_element(op, made, at, value.element(op, at))

    def compute(at: Terms) -> None:
        condition = mask.element(op, at)
        if mask.plain and is_mask(condition):
            return branch(reader, op, condition, lambda: store(at, values[0]), lambda: store(at, values[1]))
        operands = (condition, *(value.element(op, at) for value in values))
        reader.store_element(op, made, at, reader.pool.make("arith.select", operands, made.memory.element))

    nest(reader, op, made.extents, compute)
    reader.aggregates[op.result] = held(reader, made)


def common_extents(reader: Reader, op: ir.Operation, values: Sequence[Aggregate]) -> Terms:
    """The common extents of values; where types leave them open, different ones are undefined."""
    first, *others = values
    for other in others:
        same_shape = (compare(reader.pool, "eq", a, b) for a, b in zip(first.extents, other.extents, strict=True))
        reader.require(op, both(reader.pool, *same_shape), "shapes differ")
    return first.extents


def poison(scalar: Handler) -> Handler:
    """Extends a handler of `ub.poison` to aggregates.

    Example: `%p = ub.poison : vector<4xf32>`.
    """

    def read(reader: Reader, op: ir.Operation) -> None:
        kind = shape_of(reader, op, op.result.type)
        if kind is None:
            return scalar(reader, op)
        if str(op.attributes["value"]) != "#ub.poison":
            reader.reject(op, f"`{op.attributes['value']}` is not supported")
        reader.aggregates[op.result] = same(sizes(reader, op, kind), reader.pool.make("ub.poison", (), kind.element))

    return read


def listed(reader: Reader, op: ir.Operation, kind: Shape, values: Sequence[Term]) -> Aggregate:
    """An aggregate with these elements, in row-major order."""
    made = allocate(reader, op, kind.element, sizes(reader, op, kind))
    for at, value in zip(product(*(range(n or 0) for n in kind.extents)), values, strict=True):
        reader.store_element(op, made, numbers(reader, at), value)
    return held(reader, made)


# Values of either sort


def aggregate(reader: Reader, op: ir.Operation, value: ir.Value) -> Aggregate:
    """The aggregate `value`.

    Raises: Unsupported if it is none.
    """
    found = reader.aggregates.get(value)
    return reader.reject(op, f"a value of type `{value.type}` is not supported here") if found is None else found


def meaning(reader: Reader, op: ir.Operation, value: ir.Value) -> Term | Aggregate:
    """A scalar, or an aggregate."""
    found = reader.aggregates.get(value)
    return reader.term(op, value) if found is None else found


def kind_of(reader: Reader, op: ir.Operation, source: ir.Type) -> ScalarType | Shape:
    """The type of a scalar or of an aggregate."""
    found = shape_of(reader, op, source)
    return reader.scalar_type(op, source) if found is None else found


def by_element(handler: Handler) -> Handler:
    """Makes a handler apply only if vectors are read element by element; otherwise the op is opaque."""

    def read(reader: Reader, op: ir.Operation) -> None:
        if not reader.by_element:
            return reader.opaque(op)
        for result in op.results:
            if not isinstance(result.type, ir.MemRefType):
                kind_of(reader, op, result.type)
        handler(reader, op)

    return read
