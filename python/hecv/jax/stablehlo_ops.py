"""The ops of StableHLO by ops of PyTorch with the same meaning (StableHLO specification, Ops), each compared with JAX.

An op is given as `Op`: its operands as values, its attributes, and the types of its results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import ascii_letters
from typing import Any, Final

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from msgspec import Struct

from hecv.jax.graph_emitter import FLOATS, GraphEmitter, NotRead, Shape, Value
from hecv.tensors.tensor_graph import TensorType

hlo: Any = stablehlo


class Op(Struct, frozen=True):
    """An op of StableHLO or CHLO by its name without the dialect."""

    name: str
    operands: tuple[Value, ...]
    types: tuple[TensorType, ...]
    op: Any

    @property
    def shape(self) -> Shape:
        return self.types[0].shape

    @property
    def element(self) -> str:
        return self.types[0].element

    def attribute(self, name: str) -> Any:
        """An attribute of MLIR, None if it is not there."""
        return self.op.attributes.get(name, None)

    def ints(self, name: str, default: Sequence[int] = ()) -> list[int]:
        """An attribute that is a list of integers."""
        found = self.attribute(name)
        return list(default) if found is None else list(ir.DenseI64ArrayAttr(found))

    def int(self, name: str, default: int = 0) -> int:
        """An attribute that is an integer."""
        found = self.attribute(name)
        return default if found is None else int(ir.IntegerAttr(found).value)

    def pairs(self, name: str, rank: int) -> list[tuple[int, int]]:
        """An attribute that has two integers a dimension."""
        found = self.attribute(name)
        if found is None:
            return [(0, 0)] * rank
        array = np.array(ir.DenseIntElementsAttr(found)).reshape(rank, 2)
        return [(int(a), int(b)) for a, b in array]

    def word(self, name: str) -> str:
        """An attribute that is one of several words."""
        return str(self.op.attributes[name]).rstrip(">").rpartition(" ")[2]

    def numbers(self) -> dict[str, list[int]]:
        """The attributes that are integers or lists of integers."""
        found: dict[str, list[int]] = {}
        for name in self.op.attributes:
            attribute = self.op.attributes[name]
            if isinstance(attribute, ir.DenseI64ArrayAttr):
                found[name] = list(attribute)
            elif isinstance(attribute, ir.IntegerAttr):
                found[name] = [int(attribute.value)]
        return found


Translation = Callable[[GraphEmitter, Op], Value]

UNARY: Final[Mapping[str, str]] = {
    **{name: name for name in ("abs", "ceil", "floor", "tan", "sqrt", "rsqrt", "tanh", "sign", "log", "erf", "erfc")},
    **{name: name for name in ("square", "asin", "acos", "atan", "sinh", "cosh")},
    "exponential": "exp",
    "exponential_minus_one": "expm1",
    "log_plus_one": "log1p",
    "cosine": "cos",
    "sine": "sin",
    "logistic": "sigmoid",
    "negate": "neg",
    "round_nearest_even": "round",
    "is_inf": "isinf",
}

BINARY: Final[Mapping[str, str]] = {
    "add": "add.Tensor",
    "subtract": "sub.Tensor",
    "multiply": "mul.Tensor",
    "maximum": "maximum.default",
    "minimum": "minimum.default",
    "power": "pow.Tensor_Tensor",
    "remainder": "fmod.Tensor",
    "atan2": "atan2.default",
}

_TRUTHS: Final = {"and": "logical_and", "or": "logical_or", "xor": "logical_xor", "not": "logical_not"}

_BITS: Final = {"and": "bitwise_and.Tensor", "or": "bitwise_or.Tensor", "xor": "bitwise_xor.Tensor"}

REDUCTIONS: Final = {"add": "sum", "maximum": "max", "minimum": "min", "multiply": "prod", "and": "all", "or": "any"}

_RUNNING: Final = {"add": "cumsum.default", "multiply": "cumprod.default"}
"""Reductions by the op that joins two elements."""


def translate(emitter: GraphEmitter, op: Op) -> Value:
    """The result of an op with one result.

    Raises: NotRead.
    """
    x = op.operands[0] if op.operands else None
    if op.name in UNARY and x is not None:
        return emitter.emit(f"{UNARY[op.name]}.default", (x,), op.shape, op.element)
    if op.name in BINARY:
        return emitter.two(BINARY[op.name], op.operands[0], op.operands[1])
    if op.name in _TRUTHS:
        name = f"{_TRUTHS[op.name]}.default"
        if op.element != "i1":
            name = _BITS.get(op.name, "bitwise_not.default")
        return emitter.emit(name, op.operands, op.shape, op.element)
    found = TRANSLATIONS.get(op.name)
    if found is None:
        raise NotRead(f"no definition of {op.op.name}", emitter.place)
    return found(emitter, op)


def _divide(emitter: GraphEmitter, op: Op) -> Value:
    """Of integers rounded to zero."""
    if op.element in FLOATS:
        return emitter.two("div.Tensor", op.operands[0], op.operands[1])
    return emitter.emit("div.Tensor_mode", op.operands, op.shape, op.element, rounding_mode="trunc")


def _compare(emitter: GraphEmitter, op: Op) -> Value:
    return emitter.emit(f"{op.word('comparison_direction').lower()}.Tensor", op.operands, op.shape, "i1")


def _select(emitter: GraphEmitter, op: Op) -> Value:
    return emitter.emit("where.self", op.operands, op.shape, op.element)


def _clamp(emitter: GraphEmitter, op: Op) -> Value:
    low, x, high = op.operands
    return emitter.emit("clamp.Tensor", (x, low, high), op.shape, op.element)


def _convert(emitter: GraphEmitter, op: Op) -> Value:
    x = op.operands[0]
    if x.number is not None and op.element in FLOATS:
        return Value(op.types[0], number=float(x.number))
    return emitter.cast(x, op.element)


def _cube_root(emitter: GraphEmitter, op: Op) -> Value:
    """`sign(x) * |x|^(1/3)`."""
    x = op.operands[0]
    size = emitter.emit("abs.default", (x,), op.shape, op.element)
    root = emitter.two("pow.Tensor_Tensor", size, emitter.full(1 / 3, op.shape, op.element))
    return emitter.two("mul.Tensor", emitter.emit("sign.default", (x,), op.shape, op.element), root)


def _round_away(emitter: GraphEmitter, op: Op) -> Value:
    """`sign(x) * floor(|x| + 1/2)`."""
    x = op.operands[0]
    size = emitter.emit("abs.default", (x,), op.shape, op.element)
    more = emitter.two("add.Tensor", size, emitter.full(0.5, op.shape, op.element))
    whole = emitter.emit("floor.default", (more,), op.shape, op.element)
    return emitter.two("mul.Tensor", emitter.emit("sign.default", (x,), op.shape, op.element), whole)


def _finite(emitter: GraphEmitter, op: Op) -> Value:
    """Not infinite: over the reals nothing is NaN."""
    infinite = emitter.emit("isinf.default", op.operands, op.shape, "i1")
    return emitter.emit("logical_not.default", (infinite,), op.shape, "i1")


# Shapes


def _iota(emitter: GraphEmitter, op: Op) -> Value:
    along = op.int("iota_dimension")
    row = emitter.arange(op.shape[along], op.element)
    sizes = [n if d == along else 1 for d, n in enumerate(op.shape)]
    return emitter.expand(emitter.reshape(row, sizes), op.shape)


def broadcast(emitter: GraphEmitter, x: Value, places: Sequence[int], shape: Shape) -> Value:
    """Dimension k of `x` as dimension `places[k]` of `shape`."""
    if x.number is not None and x.name is None:
        return emitter.full(x.number, shape, x.element)
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = emitter.permute(x, order)
    sizes = [1] * len(shape)
    for place, size in zip(sorted(places), moved.shape, strict=True):
        sizes[place] = size
    return emitter.expand(emitter.reshape(moved, sizes), shape)


def _broadcast_in_dim(emitter: GraphEmitter, op: Op) -> Value:
    return broadcast(emitter, op.operands[0], op.ints("broadcast_dimensions"), op.shape)


def _reshape(emitter: GraphEmitter, op: Op) -> Value:
    x = op.operands[0]
    if x.number is not None and x.name is None:
        return emitter.full(x.number, op.shape, x.element)
    return emitter.reshape(x, op.shape)


def _transpose(emitter: GraphEmitter, op: Op) -> Value:
    return emitter.permute(op.operands[0], op.ints("permutation"))


def _reverse(emitter: GraphEmitter, op: Op) -> Value:
    return emitter.emit("flip.default", (op.operands[0], tuple(op.ints("dimensions"))), op.shape, op.element)


def _concatenate(emitter: GraphEmitter, op: Op) -> Value:
    parts = [x for x in op.operands if 0 not in x.shape]
    return emitter.emit("cat.default", (parts or op.operands, op.int("dimension")), op.shape, op.element)


def _slice(emitter: GraphEmitter, op: Op) -> Value:
    found = op.operands[0]
    parts = zip(*(op.ints(k) for k in ("start_indices", "limit_indices", "strides")), strict=True)
    for dim, (start, stop, step) in enumerate(parts):
        found = emitter.part(found, dim, start, stop, step)
    return found


def padded(emitter: GraphEmitter, x: Value, by: Sequence[tuple[int, int, int]], number: float | None) -> Value:
    """`x` with a number around it and between its elements: `low`, `high` and `interior` of each dimension, of which
    the first two may be negative."""
    if number is None and any(any(n > 0 for n in each) for each in by):
        raise NotRead("padding with a value that is computed", emitter.place)
    for dim, (_, _, between) in enumerate(by):
        if between and x.shape[dim] > 1:
            size = (x.shape[dim] - 1) * (between + 1) + 1
            shape = (*x.shape[:dim], size, *x.shape[dim + 1 :])
            around = emitter.full(number or 0.0, shape, x.element)
            x = emitter.emit("slice_scatter.default", (around, x, dim, 0, size, between + 1), shape, x.element)
    for dim, (low, high, _) in enumerate(by):
        x = emitter.part(x, dim, max(0, -low), x.shape[dim] - max(0, -high))
    sizes = [n for low, high, _ in reversed(by) for n in (max(0, low), max(0, high))]
    if not any(sizes):
        return x
    shape = tuple(n + max(0, low) + max(0, high) for n, (low, high, _) in zip(x.shape, by, strict=True))
    return emitter.emit("constant_pad_nd.default", (x, tuple(sizes), number), shape, x.element)


def _pad(emitter: GraphEmitter, op: Op) -> Value:
    by = zip(*(op.ints(f"{k}_padding_{v}") for k, v in _EDGES), op.ints("interior_padding"), strict=True)
    return padded(emitter, op.operands[0], [(low, high, between) for low, high, between in by], op.operands[1].number)


_EDGES: Final = (("edge", "low"), ("edge", "high"))


# Sums


def _dot_general(emitter: GraphEmitter, op: Op) -> Value:
    dims = hlo.DotDimensionNumbers(op.attribute("dot_dimension_numbers"))
    batch = list(dims.lhs_batching_dimensions), list(dims.rhs_batching_dimensions)
    summed = list(dims.lhs_contracting_dimensions), list(dims.rhs_contracting_dimensions)
    return _contracted(emitter, op, batch, summed)


def _dot(emitter: GraphEmitter, op: Op) -> Value:
    x = op.operands[0]
    return _contracted(emitter, op, ([], []), ([len(x.shape) - 1], [0]))


def _contracted(
    emitter: GraphEmitter, op: Op, batch: tuple[list[int], list[int]], summed: tuple[list[int], list[int]]
) -> Value:
    """A sum of products over pairs of dimensions; the result has the batch dimensions, then those of the left that are
    left, then those of the right."""
    letters = iter(ascii_letters)
    words: list[dict[int, str]] = [{}, {}]
    for group in (batch, summed):
        for left, right in zip(*group, strict=True):
            words[0][left] = words[1][right] = next(letters)
    result = [words[0][d] for d in batch[0]]
    for word, x in zip(words, op.operands, strict=True):
        for d in range(len(x.shape)):
            if d not in word:
                word[d] = next(letters)
                result.append(word[d])
    spelled = ["".join(word[d] for d in range(len(word))) for word in words]
    equation = f"{spelled[0]},{spelled[1]}->{''.join(result)}"
    operands = [x if x.element == op.element else emitter.cast(x, op.element) for x in op.operands]
    return emitter.emit("einsum.default", (equation, operands), op.shape, op.element, path=None)


def joined_by(op: Op) -> str:
    """The op by which a region of two arguments joins them.

    Raises: NotRead if it is more than one op.
    """
    block = op.op.regions[0].blocks[0]
    ops = list(block.operations)
    if len(block.arguments) == 2 and len(ops) == 2 and set(ops[0].operands) == set(block.arguments):
        return str(ops[0].operation.name).partition(".")[2]
    raise NotRead(f"{op.op.name} that joins elements by more than one op")


def reduced(emitter: GraphEmitter, x: Value, axes: Sequence[int], join: str, shape: Shape) -> Value:
    """The reduction of dimensions by an op that joins two elements."""
    kind = REDUCTIONS.get(join)
    if kind is None or (x.element == "i1" and kind not in ("all", "any")):
        raise NotRead(f"a reduction by {join} of {x.element}", emitter.place)
    if not axes:
        return x
    if kind in ("all", "any"):
        if x.element != "i1":
            raise NotRead(f"a reduction by {join} of {x.element}", emitter.place)
        return emitter.emit(f"{kind}.dims", (x, tuple(axes), False), shape, x.element)
    if kind == "sum":
        return emitter.emit("sum.dim_IntList", (x, tuple(axes), False), shape, x.element, dtype=x.element)
    if kind != "prod":
        return emitter.emit(f"a{kind}.default", (x, tuple(axes), False), shape, x.element)
    for axis in sorted(axes, reverse=True):
        rest = (*x.shape[:axis], *x.shape[axis + 1 :])
        x = emitter.emit("prod.dim_int", (x, axis, False), rest, x.element, dtype=x.element)
    return x


def identity_of(join: str, element: str) -> float:
    """The number that a reduction of nothing gives."""
    if join in ("maximum", "minimum"):
        bound = float("inf") if element in FLOATS else (1 << (int(element[1:]) - 1))
        return (-bound if join == "maximum" else bound - (element not in FLOATS)) if element != "i1" else 0
    return {"add": 0, "multiply": 1, "and": 1, "or": 0}.get(join, 0)


def _reduce(emitter: GraphEmitter, op: Op) -> Value:
    if len(op.operands) != 2:
        raise NotRead("a reduction of several tensors at once, as argmax is", emitter.place)
    x, first = op.operands
    join = joined_by(op)
    found = reduced(emitter, x, op.ints("dimensions"), join, op.shape)
    if first.number is not None and first.number == identity_of(join, x.element):
        return found
    start = broadcast(emitter, first, (), op.shape)
    return translate(emitter, Op(join, (found, start), op.types, op.op))


def _reduce_window(emitter: GraphEmitter, op: Op) -> Value:
    """Windows as dimensions of their own, which are reduced; running sums by an op of their own."""
    if len(op.operands) != 2:
        raise NotRead("windows of several tensors at once", emitter.place)
    x, first = op.operands
    rank, join = len(x.shape), joined_by(op)
    ones = [1] * rank
    window, strides = op.ints("window_dimensions"), op.ints("window_strides", ones)
    base, dilations = op.ints("base_dilations", ones), op.ints("window_dilations", ones)
    padding = op.pairs("padding", rank)
    if first.number is None or first.number != identity_of(join, x.element):
        raise NotRead("windows that start with another number than that of nothing", emitter.place)
    wide = [d for d in range(rank) if window[d] != 1]
    plain = strides == base == dilations == ones and join in _RUNNING
    if plain and len(wide) == 1 and window[wide[0]] == x.shape[wide[0]]:
        d = wide[0]
        if padding == [(window[d] - 1, 0) if k == d else (0, 0) for k in range(rank)]:
            return emitter.emit(_RUNNING[join], (x, d), op.shape, op.element, dtype=op.element)
    found = padded(emitter, x, [(*p, b - 1) for p, b in zip(padding, base, strict=True)], first.number)
    for d in range(rank):
        found = emitter.part(found, d, 0, (op.shape[d] - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1)
    for d in range(rank):
        if window[d] == 1:
            found = emitter.part(found, d, 0, found.shape[d], strides[d])
            continue
        size = (window[d] - 1) * dilations[d] + 1
        shape = (*found.shape[:d], op.shape[d], *found.shape[d + 1 :], size)
        found = emitter.emit("unfold.default", (found, d, size, strides[d]), shape, op.element)
        found = emitter.part(found, len(shape) - 1, 0, size, dilations[d])
    return reduced(emitter, found, range(rank, len(found.shape)), join, op.shape)


def _convolution(emitter: GraphEmitter, op: Op) -> Value:
    """By `aten.convolution`, which has the batch first, then channels."""
    x, kernel = op.operands
    dims = hlo.ConvDimensionNumbers(op.attribute("dimension_numbers"))
    spatial = len(list(dims.input_spatial_dimensions))
    ones = [1] * spatial
    if op.int("batch_group_count", 1) != 1:
        raise NotRead("a convolution with groups of the batch", emitter.place)
    strides, inner = op.ints("window_strides", ones), op.ints("lhs_dilation", ones)
    dilations, padding = op.ints("rhs_dilation", ones), op.pairs("padding", spatial)
    x = emitter.permute(x, [dims.input_batch_dimension, dims.input_feature_dimension, *dims.input_spatial_dimensions])
    kernel = emitter.permute(
        kernel,
        [dims.kernel_output_feature_dimension, dims.kernel_input_feature_dimension, *dims.kernel_spatial_dimensions],
    )
    reversal = op.attribute("window_reversal")
    if reversal is not None:
        flipped = tuple(k + 2 for k, f in enumerate(list(ir.DenseBoolArrayAttr(reversal))) if f)
        if flipped:
            kernel = emitter.emit("flip.default", (kernel, flipped), kernel.shape, kernel.element)
    if any(low != high or low < 0 for low, high in padding) or inner != ones:
        by = [(0, 0, 0)] * 2 + [(*p, b - 1) for p, b in zip(padding, inner, strict=True)]
        x, padding = padded(emitter, x, by, 0.0), [(0, 0)] * spatial
    places = [dims.output_batch_dimension, dims.output_feature_dimension, *dims.output_spatial_dimensions]
    shape = tuple(op.shape[d] for d in places)
    operands = (
        *(x, kernel, None, tuple(strides), tuple(low for low, _ in padding), tuple(dilations), False),
        *((0,) * spatial, op.int("feature_group_count", 1)),
    )
    made = emitter.emit("convolution.default", operands, shape, op.element)
    return emitter.permute(made, [places.index(d) for d in range(len(places))])


# Look-ups


def _start(emitter: GraphEmitter, start: Value, most: int) -> Value:
    """A subscript as `i64`, at least 0 and at most `most`."""
    wide = start if start.element == "i64" else emitter.cast(start, "i64")
    return emitter.emit("clamp.default", (wide, 0, most), start.shape, "i64")


def _dynamic_slice(emitter: GraphEmitter, op: Op) -> Value:
    """Starts are clamped so that the slice is within the tensor."""
    found, sizes = op.operands[0], op.ints("slice_sizes")
    for dim, (start, size) in enumerate(zip(op.operands[1:], sizes, strict=True)):
        most = found.shape[dim] - size
        if most and start.known is not None:
            first = min(max(int(start.known), 0), most)
            found = emitter.part(found, dim, first, first + size)
        elif most:
            rows = emitter.reshape(_start(emitter, start, most), (1,))
            if size > 1:
                rows = emitter.two("add.Tensor", emitter.expand(rows, (size,)), emitter.arange(size, "i64"))
            shape = (*found.shape[:dim], size, *found.shape[dim + 1 :])
            found = emitter.emit("index_select.default", (found, dim, rows), shape, found.element)
    return found


def _dynamic_update_slice(emitter: GraphEmitter, op: Op) -> Value:
    """By slices where the starts are known, else by comparing places with the start."""
    whole, part, starts = op.operands[0], op.operands[1], op.operands[2:]

    def written(whole: Value, dim: int) -> Value:
        if dim == len(starts):
            return part
        size, start = part.shape[dim], starts[dim]
        most = whole.shape[dim] - size
        if not most:
            return written(whole, dim + 1)
        if start.known is not None:
            first = min(max(int(start.known), 0), most)
            inner = written(emitter.part(whole, dim, first, first + size), dim + 1)
            operands = (whole, inner, dim, first, first + size, 1)
            return emitter.emit("slice_scatter.default", operands, whole.shape, whole.element)
        raise NotRead("a write at a place that is data", emitter.place)

    return written(whole, 0)


def most_starts(op: Op) -> int | None:
    """The largest index of a gather with one index a row; None if it has several."""
    indexed = list(hlo.GatherDimensionNumbers(op.attribute("dimension_numbers")).start_index_map)
    if len(indexed) != 1:
        return None
    return op.operands[0].shape[indexed[0]] - op.ints("slice_sizes")[indexed[0]]


def gathered(emitter: GraphEmitter, op: Op, clamped: bool = True) -> Value:
    """Slices of the operand at rows of indices (StableHLO, gather). Indices are clamped unless that is left out: then
    they have to be in range."""
    x, starts = op.operands
    dims = hlo.GatherDimensionNumbers(op.attribute("dimension_numbers"))
    vector, sizes = int(dims.index_vector_dim), op.ints("slice_sizes")
    indexed, offsets = list(dims.start_index_map), list(dims.offset_dims)
    paired = dict(zip(dims.operand_batching_dims, dims.start_indices_batching_dims, strict=True))
    if vector == len(starts.shape):
        starts = emitter.reshape(starts, (*starts.shape, 1))
    elif vector != len(starts.shape) - 1:
        raise NotRead("a gather with rows of indices in another dimension than the last", emitter.place)
    batch = starts.shape[:-1]
    kept = [d for d in range(len(x.shape)) if d not in dims.collapsed_slice_dims and d not in paired]
    along = [d for d in kept if d in indexed and sizes[d] != x.shape[d]]
    for d in kept:
        if d not in indexed and sizes[d] != x.shape[d]:
            x = emitter.part(x, d, 0, sizes[d])
    lead = (*batch, *(sizes[d] for d in along))
    rows: dict[int, Value] = {}
    for k, d in enumerate(indexed):
        if sizes[d] == x.shape[d] and d in kept:
            continue  # the start is 0
        one = emitter.reshape(emitter.part(starts, len(batch), k, k + 1), batch)
        if clamped:
            one = _start(emitter, one, x.shape[d] - sizes[d])
        if d in along:
            one = emitter.expand(emitter.reshape(one, (*batch, *(1 for _ in along))), lead)
            sizes_of = [sizes[d] if e == d else 1 for e in along]
            steps = emitter.reshape(emitter.arange(sizes[d], one.element), (*(1 for _ in batch), *sizes_of))
            one = emitter.two("add.Tensor", one, emitter.expand(steps, lead))
        elif along:
            one = emitter.expand(emitter.reshape(one, (*batch, *(1 for _ in along))), lead)
        rows[d] = one
    for d, place in paired.items():
        steps = [n if e == place else 1 for e, n in enumerate(batch)] + [1] * len(along)
        rows[d] = emitter.expand(emitter.reshape(emitter.arange(batch[place], "i64"), steps), lead)
    found, order = _looked_up(emitter, x, rows, lead)
    # The result has the batch, then the dimensions that were looked along, then the rest.
    inner = [*along, *(d for d in order if d in kept)]
    places = [k for k in range(len(op.shape)) if k not in offsets]
    at = {place: k for k, place in enumerate(places)}
    at |= {offsets[kept.index(d)]: len(batch) + k for k, d in enumerate(inner)}
    shape = (*lead, *(x.shape[d] for d in order if d in kept))
    return emitter.permute(emitter.reshape(found, shape), [at[k] for k in range(len(op.shape))])


def _looked_up(emitter: GraphEmitter, x: Value, rows: Mapping[int, Value], lead: Shape) -> tuple[Value, list[int]]:
    """The elements of `x` at these indices, in front, and the dimensions that follow."""
    order = [*sorted(rows), *(d for d in range(len(x.shape)) if d not in rows)]
    rest = [d for d in order if d not in rows]
    if not rows:
        return emitter.expand(emitter.reshape(x, (*(1 for _ in lead), *x.shape)), (*lead, *x.shape)), rest
    moved = emitter.permute(x, order)
    shape = (*lead, *(x.shape[d] for d in rest))
    if len(rows) > 1:
        indices = [rows[d] for d in sorted(rows)]
        return emitter.emit("index.Tensor", (moved, indices), shape, x.element), rest
    (index,) = rows.values()
    if len(x.shape) == 2:
        return emitter.emit("embedding.default", (moved, index, -1, False, False), shape, x.element), rest
    flat = emitter.reshape(index, (int(np.prod(lead)),))
    picked = (*flat.shape, *(x.shape[d] for d in rest))
    made = emitter.emit("index_select.default", (moved, 0, flat), picked, x.element)
    return emitter.reshape(made, shape), rest


TRANSLATIONS: Final[Mapping[str, Translation]] = {
    "divide": _divide,
    "compare": _compare,
    "select": _select,
    "clamp": _clamp,
    "convert": _convert,
    "cbrt": _cube_root,
    "round_nearest_afz": _round_away,
    "is_finite": _finite,
    "iota": _iota,
    "broadcast_in_dim": _broadcast_in_dim,
    "reshape": _reshape,
    "transpose": _transpose,
    "reverse": _reverse,
    "concatenate": _concatenate,
    "slice": _slice,
    "pad": _pad,
    "dot_general": _dot_general,
    "dot": _dot,
    "reduce": _reduce,
    "reduce_window": _reduce_window,
    "convolution": _convolution,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "gather": gathered,
}
"""By the op's name without its dialect."""
