"""Parallel loops: `scf.parallel`, `scf.forall`, `affine.parallel`, and `gpu.launch` without barriers.

Each dimension is one parallel `Loop`. A reduction in unspecified order has one value only if its operator is
associative and commutative; it is then computed in loop order, in a cell. A float sum or product has several values: it
is the one in loop order, by an op that may be regrouped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.term import Attributes, Term, literal
from hecv.base.types import FloatType, IntType, ScalarType
from hecv.mlir.aggregates.tensor_ops import insert_slice
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate, View
from hecv.mlir.read.scalar_ops import fastmath_of, with_flag
from hecv.mlir.values.aggregate_values import aggregate, copied, held
from hecv.mlir.values.carried_cells import load_cells, open_cells, result_types, store_cells, terminator
from hecv.mlir.values.in_place_updates import updated
from hecv.ops import facts_about
from hecv.ops.fastmath_flags import POISONING, flags_of
from hecv.program.tree import Block, Call, Load, Loop, Store, walk

LOOPS = frozenset({"scf.parallel", "scf.forall", "affine.parallel", "gpu.launch"})
"""The parallel loops."""

_KINDS: Mapping[int, str] = {
    0: "addf",
    1: "addi",
    2: "andi",
    4: "maximumf",
    8: "minimumf",
    12: "mulf",
    13: "muli",
    14: "ori",
    15: "xori",
}
"""`arith.AtomicRMWKind` by number: the kinds whose reduction has one value, except for rounding, and a known first
value, that of MLIR's own lowering."""

Bounds = tuple[tuple[Term, ...], tuple[Term, ...], Term]
"""Lower bounds, upper bounds and step of one dimension."""

Operator = tuple[str, Attributes]
"""The operator of a reduction and its flags."""


def combines(op: str) -> bool:
    """Whether an operator is associative and commutative, floats bit by bit up to the payload of a NaN, or would be but
    for rounding: an order is then one of those that `reassoc` licenses."""
    return facts_about(op).family(op) == op


def _read_parallel(
    reader: Reader,
    op: ir.Operation,
    dimensions: Sequence[Bounds],
    first: Sequence[Term],
    combine: Mapping[int, Operator],
) -> None:
    """Reads parallel loops whose body yields one value for each result, combined starting from `first`.

    `combine` has the operator of each result, by number.
    """
    cells = open_cells(reader, op, result_types(reader, op))
    store_cells(reader, op, cells, first)
    body = op.regions[0].blocks[0]

    def iteration() -> None:
        reader.read_block(body)
        end = terminator(body)
        for place, (cell, value) in enumerate(zip(cells, reader.terms(end, end.operands), strict=True)):
            name, flags = combine[place]
            combined = reader.pool.make(name, (reader.load(end, cell, ()), value), value.type, flags)
            reader.store(end, cell, (), combined)

    _nest(reader, op, dimensions, iteration)
    load_cells(reader, op, cells, list(op.results))


def _nest(
    reader: Reader,
    op: ir.Operation,
    dimensions: Sequence[Bounds],
    iteration: Callable[[], None],
    overwrites: bool = False,
    variables: Sequence[ir.Value] | None = None,
) -> None:
    """Emits one parallel loop a dimension; `iteration` emits the body. The induction variables are `variables`, or the
    first arguments of the body."""
    inductions = variables or list(op.regions[0].blocks[0].arguments)[: len(dimensions)]
    numbers = [reader.number(op) for _ in dimensions]
    outer = reader.enter(op)
    start = reader.loops
    for induction in inductions:
        reader.scalars[induction] = reader.pool.induction(reader.loops, reader.scalar_type(op, induction.type))
        reader.loops += 1
    iteration()
    block = reader.leave(outer)
    reader.loops = start
    updated = _updated(reader, op, block)
    for depth in reversed(range(len(dimensions))):
        lowers, uppers, step = dimensions[depth]
        iv = reader.scalars[inductions[depth]]
        loop = Loop(
            numbers[depth], iv, lowers, uppers, step, False, block, True, updated=updated, overwrites=overwrites
        )
        block = (loop,)
    reader.block.extend(block)


def _updated(reader: Reader, op: ir.Operation, block: Block) -> frozenset[int]:
    """The memories that a parallel loop only updates atomically, each by one operator."""
    accesses = [s for s in walk(block) if isinstance(s, Load | Store)]
    found = {s.memory.id for s in accesses if s.id in reader.updates}
    operators = {m: {reader.updates.get(s.id) for s in accesses if s.memory.id == m} for m in found}
    calls = found and any(isinstance(s, Call) and s.memories for s in walk(block))
    if calls or any(len(own) > 1 for own in operators.values()):
        reader.reject(op, "atomic updates beside other accesses of the same memory")
    return frozenset(found)


def _require_one_value(reader: Reader, op: ir.Operation, operator: str) -> None:
    if not combines(operator):
        reader.reject(op, f"a floating-point reduction in any order has no one value (`{operator}`)")


def _read_scf_parallel(reader: Reader, op: ir.Operation) -> None:
    """Example: `scf.parallel (%i, %j) = (%l0, %l1) to (%u0, %u1) step (%s0, %s1) { ... scf.reduce }`."""
    operands = reader.terms(op, op.operands)
    rank = len(op.regions[0].blocks[0].arguments)
    lowers, uppers, steps = (operands[k * rank : (k + 1) * rank] for k in range(3))
    first = operands[3 * rank :]
    dimensions = [((low,), (up,), step) for low, up, step in zip(lowers, uppers, steps, strict=True)]
    reduce = terminator(op.regions[0].blocks[0])
    combine = {k: _combiner(reader, reduce, region) for k, region in enumerate(reduce.regions)}
    _read_parallel(reader, op, dimensions, first, combine)


def _combiner(reader: Reader, op: ir.Operation, region: ir.Region) -> Operator:
    """The operator of a reduction region: a single op on both arguments, whose result is returned."""
    block = region.blocks[0]
    ops = [view.operation for view in block.operations]
    if len(ops) != 2:
        reader.reject(op, "a reduction by more than one op")
    combining, returning = ops
    both = set(combining.operands) == set(block.arguments) and len(combining.operands) == 2
    if not both or list(returning.operands) != list(combining.results):
        reader.reject(op, "a reduction that is no op of its two operands")
    _require_one_value(reader, combining, combining.name)
    if "overflowFlags" in combining.attributes and str(combining.attributes["overflowFlags"]) != _NO_OVERFLOW:
        reader.reject(combining, "a reduction in any order may overflow in one order and not in another")
    flags = fastmath_of(reader, combining)
    if facts_about(combining.name).regroups and POISONING & flags_of(flags):
        # Extrema are no infinity and no NaN but where an operand is one, in any order.
        reader.reject(combining, "a reduction in any order may be infinite, so poison, in one order and not in another")
    return _in_any_order(combining.name, flags)


def _in_any_order(name: str, flags: Attributes = ()) -> Operator:
    """An operator that may be regrouped."""
    return name, with_flag(flags, "reassoc") if facts_about(name).regroups else flags


_NO_OVERFLOW = "#arith.overflow<none>"


def _read_forall(reader: Reader, op: ir.Operation) -> None:
    """Example: `scf.forall (%i, %j) = (0, %l) to (8, %u) step (1, 2) shared_outs(%o = %t) -> (tensor<8xf32>) { ... }`.

    The shared tensors are one buffer for all iterations, which those write at their ends (LangRef: "the future buffers
    corresponding to these tensors are shared among all threads"): one that reads what another writes races. "If
    multiple threads write to a shared buffer in a racy fashion, these writes will execute in some unspecified order".
    """
    *counts, outputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    values = list(op.operands)
    operands = list(reader.terms(op, values[: sum(counts)]))
    parts: list[list[Term]] = []
    for name in ("staticLowerBound", "staticUpperBound", "staticStep"):
        known = ir.DenseI64ArrayAttr(op.attributes[name])
        dynamic = ir.ShapedType.get_dynamic_size()
        parts.append([operands.pop(0) if v == dynamic else reader.pool.integer(v) for v in known])
    dimensions = [((low,), (up,), step) for low, up, step in zip(*parts, strict=True)]
    body = op.regions[0].blocks[0]
    shared = _shared(reader, op, values[len(values) - outputs :])
    buffers = dict(zip(list(body.arguments)[len(dimensions) :], shared, strict=True))
    for argument, view in buffers.items():
        # What an iteration makes of its argument is its own: only the end of an iteration writes the buffer.
        reader.aggregates[argument] = replace(held(reader, view), whole=None)

    def iteration() -> None:
        reader.read_block(body)
        _insert_all(reader, terminator(body), buffers)

    _nest(reader, op, dimensions, iteration, overwrites=bool(shared))
    for result, view in zip(op.results, shared, strict=True):
        reader.aggregates[result] = held(reader, view)


def _shared(reader: Reader, op: ir.Operation, outputs: Sequence[ir.Value]) -> list[View]:
    """The buffers of the shared outputs."""
    for value in outputs:
        aggregate(reader, op, value)
    return [updated(reader, op, value) for value in outputs]


def _insert_all(reader: Reader, end: ir.Operation, buffers: Mapping[ir.Value, View]) -> None:
    """Emits the insertions at the end of an iteration; all inserted values are read before the first insertion."""
    insertions = [view.operation for view in end.regions[0].blocks[0].operations]
    written = {view.memory.id for view in buffers.values()}
    parts: list[Aggregate] = []
    for one in insertions:
        part = aggregate(reader, one, one.operands[0])
        parts.append(held(reader, copied(reader, one, part)) if part.memories & written else part)
    for one, part in zip(insertions, parts, strict=True):
        insert_slice(reader, one, part, buffers[one.operands[1]])


def _read_affine_parallel(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.parallel (%i, %j) = (max(%a, 3), 0) to (%n, 10) step (2, 1) { ... }`."""
    operands, attributes = reader.terms(op, op.operands), op.attributes
    count = ir.AffineMapAttr(attributes["lowerBoundsMap"]).value.n_inputs
    lowers = reader.apply_map(op, attributes["lowerBoundsMap"], operands[:count])
    uppers = reader.apply_map(op, attributes["upperBoundsMap"], operands[count:])
    steps = [reader.pool.integer(ir.IntegerAttr(s).value) for s in ir.ArrayAttr(attributes["steps"])]
    low, high = (_grouped(t, attributes[f"{n}BoundsGroups"]) for n, t in (("lower", lowers), ("upper", uppers)))
    kinds = [ir.IntegerAttr(k).value for k in ir.ArrayAttr(attributes["reductions"])]
    unknown = next((k for k in kinds if k not in _KINDS), None)
    if unknown is not None:
        reader.reject(op, "a reduction that has no one value in any order, or is not supported")
    combine = {k: _in_any_order(f"arith.{_KINDS[kind]}") for k, kind in enumerate(kinds)}
    types = [reader.scalar_type(op, r.type) for r in op.results]
    first = [_identity(reader, op, _KINDS[kind], type_) for kind, type_ in zip(kinds, types, strict=True)]
    _read_parallel(reader, op, list(zip(low, high, steps, strict=True)), first, combine)


def _grouped(terms: tuple[Term, ...], sizes: ir.Attribute) -> list[tuple[Term, ...]]:
    """The results of a map, those of each dimension apart."""
    rest = list(terms)
    groups: list[tuple[Term, ...]] = []
    for size in ir.DenseIntElementsAttr(sizes):
        groups.append(tuple(rest[:size]))
        rest = rest[size:]
    return groups


def _identity(reader: Reader, op: ir.Operation, kind: str, type_: ScalarType) -> Term:
    """The value that a reduction starts from."""
    if isinstance(type_, FloatType) and type_.small:
        reader.reject(op, f"a reduction of type {type_} is not supported")
    value = facts_about(f"arith.{kind}").neutral_in(type_)
    match value, type_:
        case int(), IntType():
            return reader.pool.integer(value, type_)
        case float(), FloatType():
            # A sum starts from +0, not from the -0 that changes nothing.
            return reader.pool.real(value or 0.0, type_)
        case _:
            reader.reject(op, f"a reduction by `{kind}` of type {type_} is not supported")


def _read_launch(reader: Reader, op: ir.Operation) -> None:
    """Example: `gpu.launch blocks(%b, ...) in (%nb = %n, ...) threads(%t, ...) in (%nt = %m, ...) { ... }`.

    Each thread runs once, in any order, and none where a size is not positive: an assumption. Threads that wait for
    each other, and memory that a block of them shares, are not supported.
    """
    segments = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    body = op.regions[0].blocks[0]
    if len(op.operands) != _SIZES or segments[0] or len(body.arguments) != 2 * _SIZES or op.results:
        reader.reject(op, "of a launch, only sizes of grid and blocks are supported")
    if len(op.regions[0].blocks) != 1:
        reader.reject(op, "a launch of several blocks of code is not supported")
    sizes, arguments = reader.terms(op, op.operands), list(body.arguments)
    zero, one = reader.pool.integer(0), reader.pool.integer(1)
    for argument, size in zip(arguments, (*[zero] * _SIZES, *sizes), strict=True):
        reader.scalars[argument] = size
    several = [(v, size) for v, size in zip(arguments, sizes, strict=False) if literal(size) != 1]
    reader.launches = True
    dimensions = [((zero,), (size,), one) for _, size in several]
    if not several:
        return reader.read_block(body)
    _nest(reader, op, dimensions, lambda: reader.read_block(body), variables=[v for v, _ in several])


_SIZES: Final = 6
"""Sizes of a launch: three of the grid, and three of a block."""


def _read_nothing(reader: Reader, op: ir.Operation) -> None:
    """A terminator: the op around it reads its operands."""


HANDLERS: Mapping[str, Handler] = {
    "scf.parallel": _read_scf_parallel,
    "scf.forall": _read_forall,
    "affine.parallel": _read_affine_parallel,
    "gpu.launch": _read_launch,
    "gpu.terminator": _read_nothing,
    "scf.reduce": _read_nothing,
    "scf.reduce.return": _read_nothing,
    "scf.forall.in_parallel": _read_nothing,
}
