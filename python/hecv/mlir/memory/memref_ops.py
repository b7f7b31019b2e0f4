"""Allocation, deallocation and element accesses: `memref`, and the loads and stores of `affine`."""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import INDEX, MemRefType
from hecv.mlir.read.function_reader import BY_LANE, Handler, Reader
from hecv.mlir.read.memref_views import View, Window, both, compare, whole
from hecv.mlir.values.aggregate_elements import lanes_of
from hecv.mlir.values.aggregate_values import build, nest
from hecv.program.tree import Dealloc, Memory, MemoryKind


def extents(reader: Reader, shape: tuple[int | None, ...], dynamic: tuple[Term, ...]) -> tuple[Term, ...]:
    """One index term a dimension: a literal, or the next of `dynamic` if the type leaves it open."""
    rest = iter(dynamic)
    return tuple(next(rest) if n is None else reader.pool.integer(n) for n in shape)


def read_allocation(reader: Reader, op: ir.Operation) -> None:
    """Example: `%b = memref.alloc(%n) : memref<?x8xf32>`."""
    result = op.result
    kind = reader.type_of(op, result.type)
    assert isinstance(kind, MemRefType)
    dynamic = reader.terms(op, op.operands)
    if len(dynamic) != kind.shape.count(None) or not (kind.layout is None or kind.layout.distinct):
        reader.reject(op, f"a layout that is not known: `{result.type}`")
    memory = allocate(reader, op, kind, tuple(map(reader.exact, extents(reader, kind.shape, dynamic))))
    reader.views[result] = whole(reader.pool, memory, kind.layout is None)


def allocate(reader: Reader, op: ir.Operation, kind: MemRefType, sizes: tuple[Term, ...]) -> Memory:
    """Emits an allocation of elements of `kind` and gives the memory."""
    memory = reader.new_memory(MemoryKind.LOCAL, kind.element, sizes, reader.source_name(op))
    reader.alloc(op, memory)
    (reader.stack if op.name == "memref.alloca" else reader.heap).add(memory.id)
    return memory


def poison(handler: Handler) -> Handler:
    """Extends a handler of `ub.poison` to memrefs: a poison memref has no element that may be accessed.

    Example: `%p = ub.poison : memref<?x8xf32>`.
    """

    def read(reader: Reader, op: ir.Operation) -> None:
        if not isinstance(op.result.type, ir.MemRefType):
            return handler(reader, op)
        if str(op.attributes["value"]) != "#ub.poison":
            reader.reject(op, f"`{op.attributes['value']}` is not supported")
        kind, pool = reader.type_of(op, op.result.type), reader.pool
        assert isinstance(kind, MemRefType)
        zero = pool.integer(0)
        memory = reader.new_memory(MemoryKind.LOCAL, kind.element, (zero,))
        reader.alloc(op, memory)
        unknown = pool.make("ub.poison", (), INDEX)
        sizes = tuple(unknown if n is None else pool.integer(n) for n in kind.shape)
        nowhere = Window((zero,), (zero,), (None,))
        reader.views[op.result] = View(memory, sizes, (nowhere,), (False,) * len(sizes), None)

    return read


def deallocate(reader: Reader, op: ir.Operation, view: View) -> None:
    """Emits the deallocation of the view's memory. If that is not the function's own, it must be unreachable."""
    number, memory = reader.number(op), view.memory
    if memory.id not in reader.heap and reader.runs_once(op):
        reader.reject(op, f"%{memory.name} does not come from a memref.alloc of this function")
    if memory.id not in reader.heap:
        reader.foreign[number] = op, memory
    reader.block.append(Dealloc(number, memory))


def allocated(reader: Reader, op: ir.Operation, value: ir.Value) -> View:
    """The memref to be freed: an allocation's result, or the base buffer of a view of it.

    Raises: Unsupported if it is another view.
    """
    view = reader.view(op, value)
    is_base = (
        not isinstance(value, ir.BlockArgument) and value.owner.operation.name == "memref.extract_strided_metadata"
    )
    if view.steps and not is_base:
        reader.reject(op, f"it is given a view of %{view.memory.name}, not what was allocated")
    return whole(reader.pool, view.memory)


def _read_dim(reader: Reader, op: ir.Operation) -> None:
    """Example: `%n = memref.dim %A, %c0 : memref<?xf32>`.

    Undefined: the dimension is out of range (LangRef).
    """
    view, term = reader.view(op, op.operands[0]), reader.term(op, op.operands[1])
    dimension, rank = literal(term), len(view.extents) - len(lanes_of(op.operands[0].type))
    if rank and not isinstance(dimension, int):
        reader.scalars[op.result] = _chosen_extent(reader, op, reader.exact(term), view.extents[:rank])
        return
    if not isinstance(dimension, int) or not 0 <= dimension < rank:
        shown = f"dimension {dimension}" if isinstance(dimension, int) else "a dimension"
        reader.reject(op, f"{shown} is out of range: the rank is {rank}")
    reader.scalars[op.result] = view.extents[dimension]


def _chosen_extent(reader: Reader, op: ir.Operation, dimension: Term, extents: tuple[Term, ...]) -> Term:
    """The extent of a dimension that is not a constant."""
    pool = reader.pool
    inside = [
        compare(pool, "sle", pool.integer(0), dimension),
        compare(pool, "slt", dimension, pool.integer(len(extents))),
    ]
    reader.require(op, both(pool, *inside), "a dimension is out of range")
    *first, found = extents
    for number, extent in reversed(list(enumerate(first))):
        chosen = compare(pool, "eq", dimension, pool.integer(number))
        found = pool.make("arith.select", (chosen, extent, found), INDEX)
    return found


def _read_rank(reader: Reader, op: ir.Operation) -> None:
    reader.scalars[op.result] = reader.pool.integer(len(reader.view(op, op.operands[0]).extents))


def require_plain(reader: Reader, op: ir.Operation) -> None:
    """Rejects an access that is undefined for more reasons than being out of bounds."""
    for name in ("invariant", "alignment"):
        if name in op.attributes and str(op.attributes[name]) != "false":
            reader.reject(op, f"the attribute `{name}` is not supported")


def _read_load(reader: Reader, op: ir.Operation) -> None:
    require_plain(reader, op)
    memref, *indices = op.operands
    _load(reader, op, memref, reader.terms(op, indices))


def _read_store(reader: Reader, op: ir.Operation) -> None:
    require_plain(reader, op)
    stored, memref, *indices = op.operands
    _store(reader, op, stored, memref, reader.terms(op, indices))


def _read_affine_load(reader: Reader, op: ir.Operation) -> None:
    """Example: `%v = affine.load %A[%i + 1, %j floordiv 8] : memref<?x?xf32>`."""
    memref, *operands = op.operands
    _load(reader, op, memref, reader.apply_map(op, op.attributes["map"], reader.terms(op, operands)))


def _read_affine_store(reader: Reader, op: ir.Operation) -> None:
    """Example: `affine.store %v, %A[%i] : memref<?xf32>`."""
    stored, memref, *operands = op.operands
    _store(reader, op, stored, memref, reader.apply_map(op, op.attributes["map"], reader.terms(op, operands)))


def _load(reader: Reader, op: ir.Operation, memref: ir.Value, indices: tuple[Term, ...]) -> None:
    """The result of a load: a scalar, or the vector that the element holds now."""
    view = reader.view(op, memref)
    if not isinstance(op.result.type, BY_LANE):
        reader.scalars[op.result] = reader.load_element(op, view, indices)
        return
    lanes = view.extents[len(indices) :]
    reader.aggregates[op.result] = build(
        reader, op, view.memory.element, lanes, lambda at: reader.load_element(op, view, (*indices, *at))
    )


def _store(reader: Reader, op: ir.Operation, stored: ir.Value, memref: ir.Value, indices: tuple[Term, ...]) -> None:
    """Emits the store of a scalar or of a vector."""
    view = reader.view(op, memref)
    value = reader.aggregates.get(stored)
    if value is None:
        reader.store_element(op, view, indices, reader.term(op, stored))
        return
    nest(
        reader,
        op,
        value.extents,
        lambda at: reader.store_element(op, view, (*indices, *at), value.element(op, at)),
    )


def _read_nothing(reader: Reader, op: ir.Operation) -> None:
    """A hint, or a terminator whose operands the enclosing op reads."""


def _read_scope(reader: Reader, op: ir.Operation) -> None:
    """Allocations in the region end with it; outside, only its results are visible."""
    blocks = op.regions[0].blocks
    if len(blocks) != 1:
        reader.reject(op, "a region of several blocks is not supported")
    reader.read_block(blocks[0])
    end = blocks[0].operations[len(blocks[0].operations) - 1].operation
    for result, value in zip(op.results, reader.terms(end, end.operands), strict=True):
        reader.scalars[result] = value


def _read_type_cast(reader: Reader, op: ir.Operation) -> None:
    """Example: `%w = vector.type_cast %v : memref<vector<4x8xf32>> to memref<4xvector<8xf32>>`: the same elements."""
    reader.type_of(op, op.result.type)
    reader.views[op.result] = reader.view(op, op.operands[0])


HANDLERS: Mapping[str, Handler] = {
    "vector.type_cast": _read_type_cast,
    "memref.alloc": read_allocation,
    "memref.alloca": read_allocation,
    "memref.dim": _read_dim,
    "memref.rank": _read_rank,
    "memref.load": _read_load,
    "memref.store": _read_store,
    "memref.prefetch": _read_nothing,
    "affine.prefetch": _read_nothing,
    "memref.alloca_scope": _read_scope,
    "memref.alloca_scope.return": _read_nothing,
    "affine.load": _read_affine_load,
    "affine.store": _read_affine_store,
}
