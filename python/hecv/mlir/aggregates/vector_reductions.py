"""Vector ops that compute: reductions, contractions, scans, outer products.

A reduction runs in the order of the elements. The op's flags may leave the order of a float reduction open; that
freedom is not used. Under a `vector.mask`, a lane that is off is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from torch_mlir import ir

from hecv.base.term import Attributes, Term, literal
from hecv.base.types import FloatType, IntType, ScalarType
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import Aggregate, View, whole
from hecv.mlir.read.scalar_ops import fastmath_of
from hecv.mlir.values.aggregate_values import (
    Terms,
    aggregate,
    allocate,
    branch,
    build,
    by_element,
    copied,
    held,
    loop,
    may_branch,
    meaning,
    nest,
    numbers,
    reshaped,
    same,
    shape,
    sizes,
)
from hecv.mlir.values.carried_cells import open_cells
from hecv.mlir.values.in_place_updates import updated
from hecv.ops.fastmath_flags import POISONING, flags_of
from hecv.program.index import quasi_affine

Mask = Aggregate | None

_KIND = re.compile(r"#vector\.kind<(\w+)>")
_COMBINE = {"add": "add", "mul": "mul", "and": "andi", "or": "ori", "xor": "xori"}
_EXTREMA = ("minui", "minsi", "maxui", "maxsi", "minnumf", "maxnumf", "minimumf", "maximumf")


_NEUTRAL: Mapping[str, Callable[[int], int]] = {
    **dict.fromkeys(("add", "or", "xor", "maxui"), lambda size: 0),
    **dict.fromkeys(("and", "minui"), lambda size: size - 1),
    "mul": lambda size: 1 % size,
    "minsi": lambda size: size // 2 - 1,
    "maxsi": lambda size: size // 2,
}
"""Neutral elements of integer combinations, for a type with this many values."""

_NEUTRAL_FLOATS: Mapping[str, float] = {"mul": 1.0, "maximumf": float("-inf"), "minimumf": float("inf")}
"""Neutral elements of float combinations. For `add` it is -0 and MLIR takes +0; for `maxnumf` it is NaN and a number
may be taken instead: the result where every lane is off is open."""


def combine(reader: Reader, op: ir.Operation, left: Term, right: Term, attributes: Attributes = ()) -> Term:
    """`left <kind> right`, for the kind of combination that `op` names."""
    matched = _KIND.fullmatch(str(op.attributes["kind"]))
    name = matched[1] if matched else "unknown"
    if name in ("add", "mul"):
        name += "f" if isinstance(left.type, FloatType) else "i"
    elif name in _COMBINE:
        name = _COMBINE[name]
    elif name not in _EXTREMA:
        reader.reject(op, f"the combining kind `{name}` is not supported")
    if name.endswith("f") != isinstance(left.type, FloatType):  # a kind that MLIR's verifier lets pass
        reader.reject(op, f"the combining kind `{name}` on {left.type} is not supported")
    return reader.pool.make(f"arith.{name}", (left, right), left.type, attributes)


def _neutral(reader: Reader, op: ir.Operation, kind: ScalarType) -> Term:
    """The neutral element: a masked reduction without a start value begins with it.

    Raises: Unsupported if it is open, as for most 8-bit formats, which have no infinity.
    """
    matched = _KIND.fullmatch(str(op.attributes["kind"]))
    if matched is not None and isinstance(kind, FloatType) and not kind.small and matched[1] in _NEUTRAL_FLOATS:
        return reader.pool.real(_NEUTRAL_FLOATS[matched[1]], kind)
    if matched is None or not isinstance(kind, IntType) or matched[1] not in _NEUTRAL:
        reader.reject(op, "a masked reduction without an accumulator is not supported")
    return reader.pool.integer(_NEUTRAL[matched[1]](1 << kind.width), kind)


def _update(
    reader: Reader, op: ir.Operation, made: View, to: Terms, new: Callable[[Term], Term], mask: Mask, at: Terms
) -> None:
    """Emits that an element becomes `new` of itself where the mask is on, and poison where the mask is poison."""

    def update() -> None:
        reader.store_element(op, made, to, new(reader.load_element(op, made, to)))

    if mask is None:
        return update()
    on = mask.element(op, at)
    if may_branch(reader, on):
        return branch(reader, op, on, update)
    old = reader.load_element(op, made, to)
    reader.store_element(op, made, to, reader.pool.make("arith.select", (on, new(old), old), old.type))


# Reductions


def _read_reduction(reader: Reader, op: ir.Operation, mask: Mask = None) -> None:
    """Example: `%s = vector.reduction <add>, %v, %acc : vector<4xf32> into f32`."""
    vector, *first = op.operands
    source = aggregate(reader, op, vector)
    # One lane of rank 0 is as one of rank 1.
    lanes = source if source.extents else reshaped(reader, source, numbers(reader, (1,)))
    begins = bool(first) or mask is not None
    if first:
        start = reader.term(op, first[0])
    else:
        start = lanes.element(op, numbers(reader, (0,))) if mask is None else _neutral(reader, op, lanes.kind)
    attributes = fastmath_of(reader, op)
    if not begins and literal(lanes.extents[0]) == 1 and POISONING & flags_of(attributes):
        # Nothing is combined, and a lane that is not a number is poison all the same.
        start = reader.pool.make("arith.maximumf", (start, start), start.type, attributes)
    (cell,) = open_cells(reader, op, (start.type,))
    reader.store(op, cell, (), start)

    def step(i: Term) -> None:
        def combined(old: Term) -> Term:
            return combine(reader, op, old, lanes.element(op, (i,)), attributes)

        _update(reader, op, whole(reader.pool, cell), (), combined, mask, (i,))

    lower = reader.pool.integer(0 if begins else 1)
    loop(reader, op, lower, lanes.extents[0], step)
    reader.scalars[op.result] = reader.load(op, cell, ())


def _read_multi_reduction(reader: Reader, op: ir.Operation, mask: Mask = None) -> None:
    """Example: `%w = vector.multi_reduction <add>, %v, %acc [1] : vector<4x8xf32> to vector<4xf32>`."""
    source = aggregate(reader, op, op.operands[0])
    reduced = set(ir.DenseI64ArrayAttr(op.attributes["reduction_dims"]))
    kept = [d for d in range(len(source.extents)) if d not in reduced]
    _accumulate(
        reader,
        op,
        source.extents,
        lambda at: tuple(at[d] for d in kept),
        lambda old, at: combine(reader, op, old, source.element(op, at)),
        op.operands[1],
        mask,
    )


def _accumulate(
    reader: Reader,
    op: ir.Operation,
    extents: Terms,
    place: Callable[[Terms], Terms],
    step: Callable[[Term, Terms], Term],
    first: ir.Value,
    mask: Mask,
) -> None:
    """The result of `op`: starting from `first`, for each index the element at `place(at)` becomes `step` of itself."""
    given = meaning(reader, op, first)
    made = copied(reader, op, same((), given)) if isinstance(given, Term) else updated(reader, op, first)

    nest(reader, op, extents, lambda at: _update(reader, op, made, place(at), lambda old: step(old, at), mask, at))
    if isinstance(given, Term):
        reader.scalars[op.result] = reader.load_element(op, made, ())
    else:
        reader.aggregates[op.result] = held(reader, made)


def _read_contract(reader: Reader, op: ir.Operation, mask: Mask = None) -> None:
    """A contraction: sums of products over the dimensions that its maps name.

    Operands narrower than the result are extended first, integers by their sign. A product is rounded before it is
    added, which LangRef leaves open: if the other program has no such op, as it was lowered, it may be fused
    (`ParsedModule.fuses`); otherwise the verdict says so.

    Example: `%c = vector.contract {indexing_maps = [...], kind = #vector.kind<add>} %a, %b, %acc : ...`.
    """
    left, right = (aggregate(reader, op, v) for v in list(op.operands)[:2])
    maps = [ir.AffineMapAttr(m).value for m in ir.ArrayAttr(op.attributes["indexing_maps"])]
    dims = [[e.position for e in m.results] for m in maps]
    extents: dict[int, Term] = {}
    for named, vector in ((dims[0], left), (dims[1], right)):
        extents |= dict(zip(named, vector.extents, strict=True))
    flags = fastmath_of(reader, op)
    reader.rounds |= isinstance(left.kind, FloatType) and not reader.module.fuses
    if reader.module.fuses and isinstance(left.kind, FloatType):
        flags = (("fastmath", ",".join(sorted({*flags_of(flags), "contract"}))),)
    name = "arith.mulf" if isinstance(left.kind, FloatType) else "arith.muli"

    def step(old: Term, at: Terms) -> Term:
        factors = (v.element(op, tuple(at[d] for d in ds)) for v, ds in ((left, dims[0]), (right, dims[1])))
        wide = tuple(_extended(reader, factor, old.type) for factor in factors)
        return combine(reader, op, old, reader.pool.make(name, wide, old.type, flags), flags)

    ordered = tuple(extents[d] for d in range(len(extents)))
    _accumulate(reader, op, ordered, lambda at: tuple(at[d] for d in dims[2]), step, op.operands[2], mask)


def _extended(reader: Reader, value: Term, kind: ScalarType) -> Term:
    if value.type == kind:
        return value
    return reader.pool.make("arith.extf" if isinstance(kind, FloatType) else "arith.extsi", (value,), kind)


def _read_scan(reader: Reader, op: ir.Operation) -> None:
    """Example: `%r:2 = vector.scan <add>, %v, %first {inclusive = true, reduction_dim = 0 : i64} : ...`.

    An inclusive scan starts from the first elements and not from `%first` (MLIR's own lowering; LangRef has no words).
    """
    source, first = (aggregate(reader, op, v) for v in op.operands)
    along = ir.IntegerAttr(op.attributes["reduction_dim"]).value
    inclusive = ir.BoolAttr(op.attributes["inclusive"]).value
    every, last = (allocate(reader, op, source.kind, extents) for extents in (source.extents, first.extents))
    one = reader.pool.integer(1)

    def at(rest: Terms, i: Term) -> Terms:
        return (*rest[:along], i, *rest[along:])

    def start(rest: Terms) -> None:
        to, begin = at(rest, reader.pool.integer(0)), first.element(op, rest)
        value = source.element(op, to) if inclusive else begin
        reader.store_element(op, every, to, value)
        reader.store_element(op, last, rest, value)

    def advance(rest: Terms, i: Term) -> None:
        read = i if inclusive else quasi_affine.subtract(reader.pool, i, one)
        value = combine(reader, op, reader.load_element(op, last, rest), source.element(op, at(rest, read)))
        reader.store_element(op, every, at(rest, i), value)
        reader.store_element(op, last, rest, value)

    nest(reader, op, first.extents, start)
    loop(reader, op, one, source.extents[along], lambda i: nest(reader, op, first.extents, lambda r: advance(r, i)))
    for result, view in zip(op.results, (every, last), strict=True):
        reader.aggregates[result] = held(reader, view)


# Products


def _read_outer_product(reader: Reader, op: ir.Operation, mask: Mask = None) -> None:
    """Example: `%m = vector.outerproduct %u, %v, %acc {kind = #vector.kind<add>} : vector<4xf32>, vector<8xf32>`.

    A lane that is off keeps what it had. A sum of floats is fused with its product (`vector` dialect,
    vector.outerproduct).
    """
    left, right, *first = (meaning(reader, op, v) for v in op.operands)
    assert isinstance(left, Aggregate)
    kind = shape(reader, op, op.result.type)
    name = "arith.mulf" if isinstance(kind.element, FloatType) else "arith.muli"
    fused = isinstance(kind.element, FloatType) and str(op.attributes["kind"]) == "#vector.kind<add>"
    if mask is not None and not first:
        reader.reject(op, "a masked outer product without an accumulator is not supported")

    def element(at: Terms, start: Term | None) -> Term:
        other = right if isinstance(right, Term) else right.element(op, at[1:])
        factors = (left.element(op, at[:1]), other)
        if start is None:
            return reader.pool.make(name, factors, kind.element)
        if fused:
            return reader.pool.make("math.fma", (*factors, start), kind.element)
        return combine(reader, op, start, reader.pool.make(name, factors, kind.element))

    if mask is None:
        starts = [a for a in first if isinstance(a, Aggregate)]
        reader.aggregates[op.result] = build(
            reader,
            op,
            kind.element,
            sizes(reader, op, kind),
            lambda at: element(at, starts[0].element(op, at) if starts else None),
        )
        return
    made = updated(reader, op, op.operands[2])
    nest(reader, op, made.extents, lambda at: _update(reader, op, made, at, lambda old: element(at, old), mask, at))
    reader.aggregates[op.result] = held(reader, made)


def _read_fma(reader: Reader, op: ir.Operation) -> None:
    """Example: `%d = vector.fma %a, %b, %c : vector<4xf32>`."""
    operands = [aggregate(reader, op, v) for v in op.operands]
    kind = shape(reader, op, op.result.type)

    def element(at: Terms) -> Term:
        return reader.pool.make("math.fma", tuple(v.element(op, at) for v in operands), kind.element)

    reader.aggregates[op.result] = build(reader, op, kind.element, sizes(reader, op, kind), element)


MASKED: Mapping[str, Callable[[Reader, ir.Operation, Mask], None]] = {
    "vector.reduction": _read_reduction,
    "vector.multi_reduction": _read_multi_reduction,
    "vector.contract": _read_contract,
    "vector.outerproduct": _read_outer_product,
}
"""Ops that compute and may stand under a `vector.mask`."""

_HANDLERS: Mapping[str, Handler] = {
    "vector.reduction": lambda reader, op: _read_reduction(reader, op),
    "vector.multi_reduction": lambda reader, op: _read_multi_reduction(reader, op),
    "vector.contract": lambda reader, op: _read_contract(reader, op),
    "vector.outerproduct": lambda reader, op: _read_outer_product(reader, op),
    "vector.scan": _read_scan,
    "vector.fma": _read_fma,
}

HANDLERS: Mapping[str, Handler] = {name: by_element(handler) for name, handler in _HANDLERS.items()}
