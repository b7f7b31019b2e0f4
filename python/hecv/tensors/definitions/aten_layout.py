"""Ops of PyTorch that move elements: each element of the result is one of an operand, or a padding."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

from hecv.tensors.comprehension import Comprehension, Scalar, position, scalar, select
from hecv.tensors.definitions.op_definition import Call, Undefined, cast_to, chosen, defines, spread
from hecv.tensors.index_terms import Index, MergedIndex, ProductSize, Size, both, factors_of, index, single_indices


def reshaped(tensor: Comprehension, shape: Sequence[int], indices: Sequence[Index]) -> Scalar:
    """The element of a tensor at indices of another shape, with the elements in the same row-major order."""
    if 0 in tensor.shape:
        return scalar(0)  # there is no such element
    sizes, places = split_sizes(shape), _split_indices(shape, indices)
    found: list[Index] = []
    for ours, theirs, given in _groups(split_sizes(tensor.shape), sizes, places):
        flat = given[0] if given else index(0)
        for size, i in zip(theirs[1:], given[1:], strict=True):
            flat = flat * size + i
        rest: list[Index] = []
        for k, size in reversed(list(enumerate(ours))[1:]):
            alone = isinstance(size, Size) and all(n == 1 for n in ours[:k])
            rest.append(flat if alone else flat % size)
            flat = index(0) if alone else flat // size
        found.extend([flat, *reversed(rest)] if ours else [])
    left = iter(found)
    merged = ([next(left) for _ in factors_of(n)] if isinstance(n, ProductSize) else next(left) for n in tensor.shape)
    return tensor[
        tuple(
            MergedIndex(tuple(i), factors_of(n)) if isinstance(i, list) else i
            for i, n in zip(merged, tensor.shape, strict=True)
        )
    ]


def split_sizes(shape: Sequence[int]) -> tuple[int, ...]:
    """The sizes, with the factors of each product."""
    return tuple(n for size in shape for n in factors_of(size))


def _split_indices(shape: Sequence[int], indices: Sequence[Index]) -> tuple[Index, ...]:
    """The indices below the factors of each size.

    Raises: Undefined if an index has other factors.
    """
    for i, n in zip(indices, shape, strict=True):
        if isinstance(n, ProductSize) and not (isinstance(i, MergedIndex) and i.sizes == n.factors):
            raise Undefined(f"an index below {n} of other dimensions than were merged")
    return single_indices(indices)


def _groups(
    old: tuple[int, ...], new: tuple[int, ...], indices: Sequence[Index]
) -> list[tuple[tuple[int, ...], tuple[int, ...], tuple[Index, ...]]]:
    """Runs of dimensions with the same number of elements on both sides, as short as possible."""
    found: list[tuple[tuple[int, ...], tuple[int, ...], tuple[Index, ...]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        start, first = i, j
        left = right = 1
        while i == start or j == first or left != right:
            if (left <= right and i < len(old)) or j == len(new):
                if i == len(old):
                    break
                left *= old[i]
                i += 1
            else:
                right *= new[j]
                j += 1
            if i == len(old) and j == len(new):
                break
        found.append((old[start:i], new[first:j], tuple(indices[first:j])))
    return found


def _as_many(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two shapes have the same number of elements."""
    left, right = list[int](), list(split_sizes(other))
    for n in split_sizes(one):
        same = next((k for k, m in enumerate(right) if m is n and isinstance(n, Size)), None)
        if same is None:
            left.append(n)
        else:
            del right[same]
    return prod(left) == prod(right)


@defines(
    *("aten.view", "aten.reshape", "aten._unsafe_view", "aten.flatten", "aten.unflatten", "aten.squeeze"),
    *("aten.unsqueeze", "aten.ravel"),
)
def reshape(call: Call) -> tuple[Comprehension, ...]:
    """The same elements in row-major order, in the shape of the result."""
    x = call.tensor(0)
    if not _as_many(x.shape, call.shape):
        raise Undefined(f"{call.op} to another type")
    return call.gives(lambda *i: reshaped(x, call.shape, i))


@defines("aten.expand", "aten.expand_as")
def expand(call: Call) -> tuple[Comprehension, ...]:
    """Broadcast to the shape of the result."""
    x = call.tensor(0)
    return call.gives(lambda *i: spread(x, i))


@defines("aten.repeat")
def repeat(call: Call) -> tuple[Comprehension, ...]:
    """Copies one behind the other."""
    x = call.tensor(0)

    def at(*i: Index) -> Scalar:
        places = zip(i[len(i) - x.rank :], call.shape[len(i) - x.rank :], x.shape, strict=True)
        return x[tuple(k if n is whole else k % n for k, whole, n in places)]

    return call.gives(at)


@defines("aten.repeat_interleave.self_int")
def repeat_interleave(call: Call) -> tuple[Comprehension, ...]:
    """Each slice along a dimension `repeats` times in a row."""
    x, times = call.tensor(0), call.at(1, "repeats")
    if not isinstance(times, int) or call.at(2, "dim") is None:
        raise Undefined(f"{call.op} with a tensor of repeats")
    axis = call.axis(2, "dim")
    return call.gives(lambda *i: x[(*i[:axis], i[axis] // times, *i[axis + 1 :])])


@defines("aten.permute")
def permute(call: Call) -> tuple[Comprehension, ...]:
    """Dimension k of the result is dimension `dims[k]`."""
    x = call.tensor(0)
    return _permuted(call, [d % x.rank for d in call.at(1, "dims")])


@defines("aten.transpose", "aten.swapaxes")
def transpose(call: Call) -> tuple[Comprehension, ...]:
    """Two dimensions change places."""
    order = list(range(call.tensor(0).rank))
    a, b = call.axis(1, "dim0"), call.axis(2, "dim1")
    if order:
        order[a], order[b] = order[b], order[a]
    return _permuted(call, order)


@defines("aten.t", "aten.numpy_T", "aten.mT")
def transposed(call: Call) -> tuple[Comprehension, ...]:
    """The dimensions in reverse; of `mT` the last two."""
    order = list(range(call.tensor(0).rank))
    return _permuted(call, [*order[:-2], *reversed(order[-2:])] if call.op.startswith("aten.mT") else order[::-1])


@defines("aten.diagonal")
def diagonal(call: Call) -> tuple[Comprehension, ...]:
    """The elements whose indices along two dimensions differ by `offset`, as a last dimension."""
    x, offset = call.tensor(0), call.at(1, "offset", 0)
    first, second = call.axis(2, "dim1", 0), call.axis(3, "dim2", 1)

    def at(*i: Index) -> Scalar:
        places, k = dict(zip([d for d in range(x.rank) if d not in (first, second)], i, strict=False)), i[-1]
        places |= {first: k + max(0, -offset), second: k + max(0, offset)}
        return x[tuple(places[d] for d in range(x.rank))]

    return call.gives(at)


@defines("aten.movedim")
def movedim(call: Call) -> tuple[Comprehension, ...]:
    """Dimensions go to new places; the others keep their order."""
    rank = call.tensor(0).rank
    old, new = ([d % rank for d in _list(call.at(k, ""))] for k in (1, 2))
    rest = iter(d for d in range(rank) if d not in old)
    places = dict(zip(new, old, strict=True))
    return _permuted(call, [places[d] if d in places else next(rest) for d in range(rank)])


def _permuted(call: Call, order: Sequence[int]) -> tuple[Comprehension, ...]:
    x = call.tensor(0)
    back = [order.index(d) for d in range(x.rank)]
    return call.gives(lambda *i: x[tuple(i[k] for k in back)])


def _list(value: Any) -> list[int]:
    return [value] if isinstance(value, int) else list(value)


# Parts


def _start(given: Any, size: int) -> int:
    found = 0 if given is None else given
    return min(max(found + size if found < 0 else found, 0), size)


@defines("aten.slice")
def slice_(call: Call) -> tuple[Comprehension, ...]:
    """Elements `start`, `start + step`, ... of a dimension."""
    x, axis = call.tensor(0), call.axis(1, "dim", 0)
    start, step = _start(call.at(2, "start"), x.shape[axis]), call.at(4, "step", 1)
    return call.gives(lambda *i: x[(*i[:axis], i[axis] * step + start, *i[axis + 1 :])])


@defines("aten.narrow")
def narrow(call: Call) -> tuple[Comprehension, ...]:
    """Elements of a dimension from `start` on."""
    x, axis = call.tensor(0), call.axis(1, "dim")
    start = _start(call.at(2, "start"), x.shape[axis])
    return call.gives(lambda *i: x[(*i[:axis], i[axis] + start, *i[axis + 1 :])])


@defines("aten.unfold")
def unfold(call: Call) -> tuple[Comprehension, ...]:
    """Windows of a dimension, each `step` behind the one before; the place in the window is the last dimension."""
    x, axis, step = call.tensor(0), call.axis(1, "dimension"), call.at(3, "step")
    return call.gives(lambda *i: x[(*i[:axis], i[axis] * step + i[-1], *i[axis + 1 : -1])])


@defines("aten.select")
def select_(call: Call) -> tuple[Comprehension, ...]:
    """One slice of a dimension, which goes away."""
    x, axis = call.tensor(0), call.axis(1, "dim")
    place = call.at(2, "index") % x.shape[axis]
    return call.gives(lambda *i: x[(*i[:axis], place, *i[axis:])])


@defines("aten.split", "aten.split_with_sizes", "aten.chunk", "aten.unsafe_split", "aten.tensor_split.sections")
def split(call: Call) -> tuple[Comprehension, ...]:
    """Consecutive parts of a dimension."""
    x, axis = call.tensor(0), call.axis(2, "dim", 0)
    starts = accumulate((t.shape[axis] for t in call.types), initial=0)
    return tuple(
        Comprehension(t.shape, lambda *i, s=start: x[(*i[:axis], i[axis] + s, *i[axis + 1 :])], t.element)
        for t, start in zip(call.types, starts, strict=False)
    )


@defines("aten.unbind")
def unbind(call: Call) -> tuple[Comprehension, ...]:
    """Each slice of a dimension."""
    x, axis = call.tensor(0), call.axis(1, "dim", 0)
    return tuple(
        Comprehension(t.shape, lambda *i, k=k: x[(*i[:axis], k, *i[axis:])], t.element)
        for k, t in enumerate(call.types)
    )


@defines("aten.flip")
def flip(call: Call) -> tuple[Comprehension, ...]:
    """Dimensions run backwards."""
    x, axes = call.tensor(0), call.axes(1, "dims")
    return call.gives(lambda *i: x[tuple(x.shape[d] - 1 - k if d in axes else k for d, k in enumerate(i))])


@defines("aten.roll")
def roll(call: Call) -> tuple[Comprehension, ...]:
    """Dimensions shifted in a circle."""
    x, shifts, dims = call.tensor(0), _list(call.at(1, "shifts")), _list(call.at(2, "dims", ()))
    if not dims:
        raise Undefined("a roll of all dimensions as one")
    by = {d % x.rank: s for d, s in zip(dims, shifts, strict=True)}
    return call.gives(
        lambda *i: x[tuple((k - by.get(d, 0) % n) % n for d, (k, n) in enumerate(zip(i, x.shape, strict=True)))]
    )


# Joins


@defines("aten.cat")
def cat(call: Call) -> tuple[Comprehension, ...]:
    """Tensors one behind the other along a dimension."""
    parts: list[Comprehension] = [p for p in call.operands[0] if p.shape != (0,)]
    axis = call.at(1, "dim", 0) % len(call.shape)

    def at(*i: Index) -> Scalar:
        ends = list(accumulate(p.shape[axis] for p in parts))
        found = _element(parts[-1], i, axis, i[axis] - (ends[-2] if len(ends) > 1 else 0))
        for part, end in reversed(list(zip(parts[:-1], ends[:-1], strict=True))):
            found = select(i[axis] < end, _element(part, i, axis, i[axis] - (end - part.shape[axis])), found)
        return found

    def _element(part: Comprehension, i: Sequence[Index], axis: int, k: Index) -> Scalar:
        return cast_to(part[(*i[:axis], k, *i[axis + 1 :])], part.element, call.element)

    return call.gives(at)


@defines("aten.stack")
def stack(call: Call) -> tuple[Comprehension, ...]:
    """Tensors along a new dimension."""
    parts: list[Comprehension] = list(call.operands[0])
    axis = call.at(1, "dim", 0) % len(call.shape)

    def at(*i: Index) -> Scalar:
        rest = (*i[:axis], *i[axis + 1 :])
        found = parts[-1][rest]
        for k, part in reversed(list(enumerate(parts[:-1]))):
            found = select(i[axis] < k + 1, part[rest], found)
        return found

    return call.gives(at)


@defines("aten.constant_pad_nd", "aten.pad")
def pad(call: Call) -> tuple[Comprehension, ...]:
    """A number around the tensor; sizes come in pairs, the last dimension first."""
    x, sizes = call.tensor(0), list(call.at(1, "pad"))
    value = call.at(3 if call.op.startswith("aten.pad") else 2, "value", 0)
    if call.op.startswith("aten.pad") and call.at(2, "mode", "constant") != "constant":
        raise Undefined(f"{call.op} in mode {call.at(2, 'mode')}")
    before = {x.rank - 1 - k: sizes[2 * k] for k in range(len(sizes) // 2)}

    def at(*i: Index) -> Scalar:
        moved = [k - before.get(d, 0) for d, k in enumerate(i)]
        inside = both(*(c for d in before for c in (moved[d] >= 0, moved[d] < x.shape[d])))
        return select(inside, x[tuple(moved)], scalar(value))

    return call.gives(at)


# Writes of a part, as functionalised programs have them


@defines("aten.slice_scatter")
def slice_scatter(call: Call) -> tuple[Comprehension, ...]:
    """The first operand, with the second in a slice of it."""
    x, part, axis = call.tensor(0), call.tensor(1), call.axis(2, "dim", 0)
    start, step = _start(call.at(3, "start"), x.shape[axis]), call.at(5, "step", 1)

    def at(*i: Index) -> Scalar:
        k = i[axis] - start
        inside = both(k >= 0, k < part.shape[axis] * step, (k % step).equals(0))
        return select(inside, part[(*i[:axis], k // step, *i[axis + 1 :])], x[i])

    return call.gives(at)


@defines("aten.select_scatter")
def select_scatter(call: Call) -> tuple[Comprehension, ...]:
    """The first operand, with the second as one slice of it."""
    x, part, axis = call.tensor(0), call.tensor(1), call.axis(2, "dim")
    place = call.at(3, "index") % x.shape[axis]
    return call.gives(lambda *i: select(i[axis].equals(place), part[(*i[:axis], *i[axis + 1 :])], x[i]))


@defines("aten.tril", "aten.triu")
def triangle(call: Call) -> tuple[Comprehension, ...]:
    """The part below, or above, a diagonal; 0 elsewhere."""
    x, diagonal, lower = call.tensor(0), call.at(1, "diagonal", 0), call.op.startswith("aten.tril")

    def at(*i: Index) -> Scalar:
        offset = i[-1] - i[-2]
        return select(offset <= diagonal if lower else offset >= diagonal, x[i], 0)

    return call.gives(at)


# Look-ups


@defines("aten.embedding")
def embedding(call: Call) -> tuple[Comprehension, ...]:
    """Rows of a table."""
    table, rows = call.tensor(0), call.tensor(1)
    return call.gives(lambda *i: chosen(rows[i[:-1]], lambda row: table[(row, i[-1])]))


@defines("aten.index_select")
def index_select(call: Call) -> tuple[Comprehension, ...]:
    """Slices of a dimension, by a list of indices."""
    x, axis, rows = call.tensor(0), call.axis(1, "dim"), call.tensor(2)

    def at(*i: Index) -> Scalar:
        return chosen(spread(rows, (i[axis],)), lambda k: x[(*i[:axis], k, *i[axis + 1 :])])

    return call.gives(at)


@defines("aten.gather")
def gather(call: Call) -> tuple[Comprehension, ...]:
    """The element at the given index along a dimension, at the place of the index along the others."""
    x, axis, rows = call.tensor(0), call.axis(1, "dim"), call.tensor(2)
    return call.gives(lambda *i: chosen(rows[i], lambda k: x[(*i[:axis], k, *i[axis + 1 :])]))


@defines("aten.index")
def index_(call: Call) -> tuple[Comprehension, ...]:
    """Advanced indexing: index tensors are broadcast together; their dimensions stand where the first of them stood, or
    in front where slices lie between them."""
    x, given = call.tensor(0), list(call.operands[1])
    given += [None] * (x.rank - len(given))
    places = [d for d, g in enumerate(given) if g is not None]
    if any(given[d].element == "i1" for d in places):
        raise Undefined("an index that is a mask: the shape depends on the data")
    rank = max((given[d].rank for d in places), default=0)
    together = places == list(range(places[0], places[0] + len(places))) if places else True
    first = places[0] if places and together else 0

    def at(*i: Index) -> Scalar:
        data = i[first : first + rank]
        rest = iter((*i[:first], *i[first + rank :]))
        found: list[Any] = [next(rest) if g is None else spread(g, data) for g in given]

        def look(d: int, places: tuple[Any, ...]) -> Scalar:
            if d == x.rank:
                return x[places]
            if given[d] is None:
                return look(d + 1, (*places, found[d]))
            return chosen(found[d], lambda place: wrapped(d, places, place))

        def wrapped(d: int, places: tuple[Any, ...], place: Index) -> Scalar:
            if not place.terms:
                return look(d + 1, (*places, place.constant % x.shape[d]))
            return select(place >= 0, look(d + 1, (*places, place)), look(d + 1, (*places, place + x.shape[d])))

        return look(0, ())

    return call.gives(at)


@defines("aten.one_hot")
def one_hot(call: Call) -> tuple[Comprehension, ...]:
    """1 where the last index is the value."""
    rows = call.tensor(0)
    return call.gives(lambda *i: select(i[-1].equals(position(rows[i[:-1]])), 1, 0))


@defines("aten.diff")
def diff(call: Call) -> tuple[Comprehension, ...]:
    """Differences of neighbours along a dimension, with `prepend` in front and `append` behind."""
    x, axis = call.tensor(0), call.axis(2, "dim", -1)
    if call.at(1, "n", 1) != 1:
        raise Undefined("differences of higher order")
    parts = [p for p in (call.at(3, "prepend"), x, call.at(4, "append")) if p is not None]
    if x.element == "i1":
        raise Undefined("differences of booleans")

    def whole(i: Sequence[Index], k: Index) -> Scalar:
        ends = list(accumulate(p.shape[axis] for p in parts))
        found = parts[-1][(*i[:axis], k - (ends[-1] - parts[-1].shape[axis]), *i[axis + 1 :])]
        for part, end in reversed(list(zip(parts[:-1], ends[:-1], strict=True))):
            found = select(k < end, part[(*i[:axis], k - (end - part.shape[axis]), *i[axis + 1 :])], found)
        return found

    return call.gives(lambda *i: whole(i, i[axis] + 1) - whole(i, i[axis]))
