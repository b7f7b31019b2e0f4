"""Relates the parameters and buffers of two graphs by their values: equal, transposed, cut, joined, interleaved or
padded with zeros.

Rows of all arrays are looked up by digest, so the cost is linear in the size of both models. Names, and then the order
in which the models use them, only decide between parameters of equal values. A match is a guess that becomes an
assumption of the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import permutations
from typing import Any, Final

import numpy as np
from msgspec import Struct

from hecv.base.threads import in_threads
from hecv.parameters.parameter_relation import Concat, Expression, Ref, Reshape, Slice, Transpose, Zeros, names_in

MOST_PARTS: Final = 4_096
"""Parts, at most, of a parameter that concatenates others."""

MOST_DIMENSIONS: Final = 5
"""Dimensions, at most, of a parameter whose dimensions are tried in every order: 120."""

_BLOCK: Final = 1 << 20
"""Elements, about, of which one digest is made at a time."""

_SAMPLE: Final = 1 << 16

STORED: Final = {"f64": 1e-12, "f32": 1e-6, "bf16": 1e-2, "f16": 2e-3}
"""Relative difference, at most, of two computations of one buffer, by the type that it is stored in."""


class State(Struct, frozen=True):
    """A parameter, buffer or constant: `order` is the number of its first use."""

    name: str
    kind: str
    element: str
    array: Any
    order: int

    @property
    def is_float(self) -> bool:
        return self.array.dtype.kind == "f"


class StateRelation(Struct, frozen=True):
    """The expression for each tensor of the target that one was found for, those without one, the names of the source
    that no expression uses, and the expressions that hold to the precision of the storage alone."""

    expressions: Mapping[str, Expression]
    unmatched: tuple[str, ...]
    unused: tuple[str, ...]
    rounded: tuple[str, ...]


_Whole = tuple[bool, tuple[int, ...], bytes]
"""Whether a tensor is one of floats, its shape, and the digest of its elements."""


def _whole(state: State, digest: bytes) -> _Whole:
    return state.is_float, state.array.shape, digest


class _View(Struct, frozen=True):
    """A source array, arranged as an expression has it: the digests of its rows, and the shape of one."""

    name: str
    expression: Expression
    rows: tuple[bytes, ...]
    shape: tuple[int, ...]


class _Row(Struct, frozen=True):
    """Row `at` of a view."""

    view: _View
    at: int


class StateMatcher:
    """Finds expressions over the source's tensors."""

    def __init__(self, sources: Sequence[State]) -> None:
        self._sources: Final = {s.name: s for s in sources}
        self._whole: Final[dict[_Whole, list[State]]] = {}
        self._flat: Final[dict[bytes, list[State]]] = {}
        self._rows: Final[dict[bytes, list[_Row]]] = {}
        self._used: Final = set[str]()
        for source in sources:
            digest = _digest(source.array)
            self._whole.setdefault(_whole(source, digest), []).append(source)
            self._flat.setdefault(digest, []).append(source)
            if source.is_float and source.kind != "constant":
                self._add_rows(source.name, source.array)

    def _add_rows(self, name: str, array: Any) -> None:
        if not array.size or not array.ndim or repeats(array):
            return
        for expression, arranged in _arrangements(Ref(name), array):
            view = _View(name, expression, tuple(_rows(arranged)), arranged.shape[1:])
            for at, row in enumerate(view.rows):
                self._rows.setdefault(row, []).append(_Row(view, at))

    def relate(self, targets: Sequence[State], given: Mapping[str, Expression]) -> StateRelation:
        """Relates all parameters, and what else has the values of a tensor of the source."""
        found: dict[str, Expression] = dict(given)
        self._used.update(name for expression in given.values() for name in names_in(expression))
        for key, group in self._groups([t for t in targets if t.name not in found]):
            found |= self._equal(group, self._whole.get(key, []))
        rounded: list[str] = []
        for target in sorted(targets, key=lambda t: t.order):
            if target.name not in found:
                expression = next(self._searches(target, found), None)
                if expression is None and target.kind != "parameter":
                    expression = self._nearly(target)
                    rounded += [] if expression is None else [target.name]
                if expression is not None:
                    found[target.name] = expression
                    self._used.update(names_in(expression))
        self._by_names(targets, found)
        unmatched = tuple(t.name for t in targets if t.name not in found and t.kind == "parameter")
        unused = tuple(n for n, s in self._sources.items() if n not in self._used and s.kind == "parameter")
        return StateRelation(found, unmatched, unused, tuple(rounded))

    # Equal tensors

    def _groups(self, targets: Sequence[State]) -> Iterator[tuple[_Whole, list[State]]]:
        groups: dict[_Whole, list[State]] = {}
        for target in targets:
            groups.setdefault(_whole(target, _digest(target.array)), []).append(target)
        yield from groups.items()

    def _equal(self, targets: Sequence[State], sources: Sequence[State]) -> dict[str, Expression]:
        """Pairs tensors of equal values: by name, then in the order of use."""
        found: dict[str, Expression] = {}
        alike = [s for s in sources if targets[0].is_float == s.is_float]
        names = {s.name for s in alike}
        for target in targets:
            if target.name in names:
                found[target.name] = Ref(target.name)
        left = sorted((s for s in alike if Ref(s.name) not in found.values()), key=lambda s: s.order)
        rest = sorted((t for t in targets if t.name not in found), key=lambda t: t.order)
        if left or alike:
            left = left or list(alike)
            for k, target in enumerate(rest):
                found[target.name] = Ref(left[min(k, len(left) - 1)].name)
        self._used.update(name for e in found.values() for name in names_in(e))
        return found

    # Rearranged tensors

    def _searches(self, target: State, found: Mapping[str, Expression]) -> Iterator[Expression]:
        array = target.array
        if not array.size or not array.ndim:
            return
        if target.is_float:
            joined = self._padded(target, array)
            if joined is None and array.ndim == 2:
                turned = self._padded(target, array.T)
                joined = None if turned is None else Transpose(turned, 0, 1)
            if joined is not None:
                yield joined
            yield from self._permuted(array)
            yield from self._stacked(target, array)
        for source in self._flat.get(_digest(array), []):
            if source.array.shape != array.shape and source.array.ndim and source.is_float == target.is_float:
                yield Reshape(Ref(source.name), array.shape)
        yield from self._like_neighbour(target, found)

    def _padded(self, target: State, array: Any) -> Expression | None:
        """Runs of rows of source tensors, with rows of zeros behind them if that is what it takes."""
        whole = None if repeats(array) else self._joined(target, array)
        rows = np.flatnonzero(array.reshape(len(array), -1).any(axis=1))
        if whole is not None or not rows.size or rows[-1] + 1 == len(array):
            return whole
        kept = array[: rows[-1] + 1]
        found = None if repeats(kept) else self._joined(target, kept)
        return None if found is None else Concat((found, Zeros((len(array) - len(kept), *array.shape[1:]))), 0)

    def _permuted(self, array: Any) -> Iterator[Expression]:
        """A source tensor with its dimensions in another order."""
        for source in self._sources.values():
            shape = source.array.shape
            if array.ndim < 3 or array.ndim > MOST_DIMENSIONS or sorted(shape) != sorted(array.shape):
                continue
            for order in permutations(range(array.ndim)):
                if array.shape == tuple(shape[d] for d in order) and np.array_equal(
                    array, np.transpose(source.array, order)
                ):
                    yield _in_order(Ref(source.name), order)

    def _stacked(self, target: State, array: Any) -> Iterator[Expression]:
        """Source tensors of fewer dimensions that are stacked along one dimension, or a part of one of more."""
        if array.size < 2 or array.ndim > MOST_DIMENSIONS or array.ndim == 2 or repeats(array):
            return
        for order in permutations(range(array.ndim)):
            turned = np.transpose(array, order)
            rows = turned.reshape(-1, turned.shape[-1])
            found = self._joined(target, rows) if _rows(rows[:1])[0] in self._rows else None
            if found is not None:
                back = tuple(order.index(d) for d in range(array.ndim))
                yield _in_order(Reshape(found, turned.shape), back)

    def _joined(self, target: State, array: Any) -> Expression | None:
        """Runs of rows of source tensors, one behind the other."""
        rows, parts, at = _rows(array), list[Expression](), 0
        while at < len(rows):
            best, longest = None, 0
            for row in self._rows.get(rows[at], []):
                if row.view.shape != array.shape[1:]:
                    continue
                theirs, length = row.view.rows, 0
                limit = min(len(theirs) - row.at, len(rows) - at)
                while length < limit and theirs[row.at + length] == rows[at + length]:
                    length += 1
                if (length, row.view.name == target.name) > (
                    longest,
                    best is not None and best.view.name == target.name,
                ):
                    best, longest = row, length
            if best is None or len(parts) == MOST_PARTS:
                return None
            parts.append(self._part(best, longest))
            at += longest
        return parts[0] if len(parts) == 1 else Concat(tuple(parts), 0)

    def _part(self, row: _Row, length: int) -> Expression:
        if length == len(row.view.rows):
            return row.view.expression
        return Slice(row.view.expression, 0, row.at, row.at + length)

    def _like_neighbour(self, target: State, found: Mapping[str, Expression]) -> Iterator[Expression]:
        """Of parameters whose values repeat (biases of zeros): the expression of a parameter of the same module, with
        the last part of all names exchanged."""
        prefix, _, last = target.name.rpartition(".")
        for name, expression in found.items():
            above, _, theirs = name.rpartition(".")
            if above != prefix or theirs == last or target.array.ndim != 1:
                continue
            renamed = _renamed(expression, theirs, last)
            value = None if renamed is None else self.value(renamed)
            if renamed is not None and value is not None and np.array_equal(value, target.array):
                yield renamed

    def _nearly(self, target: State) -> Expression | None:
        """A buffer that a source's buffer is, up to the precision in which both are stored."""
        for source in self._sources.values():
            if source.kind == "parameter" or not (source.is_float and target.is_float):
                continue
            precision = max(STORED.get(source.element, 0.0), STORED.get(target.element, 0.0))
            if source.array.shape == target.array.shape and target.array.ndim:
                scale = np.maximum(np.abs(source.array), np.abs(target.array))
                with np.errstate(invalid="ignore"):
                    if np.all(np.abs(source.array - target.array) <= precision * scale):
                        return Ref(source.name)
        return None

    def _by_names(self, targets: Sequence[State], found: dict[str, Expression]) -> None:
        """A parameter of the same name and shape, whatever its values."""
        for target in targets:
            source = self._sources.get(target.name)
            if target.name in found or target.kind != "parameter" or source is None or source.kind != "parameter":
                continue
            if source.array.shape == target.array.shape:
                found[target.name] = Ref(source.name)
                self._used.add(source.name)

    def value(self, expression: Expression) -> Any | None:
        """The value of an expression; none if a name in it is no tensor of the source."""
        if any(name not in self._sources for name in names_in(expression)):
            return None
        return value_of(expression, {name: s.array for name, s in self._sources.items()})


def value_of(expression: Expression, arrays: Mapping[str, Any]) -> Any:
    """The value of an expression over arrays; it is not `value` itself."""
    match expression:
        case Ref(name=name):
            return arrays[name]
        case Transpose(of=of, first=first, second=second):
            return np.swapaxes(value_of(of, arrays), first, second)
        case Concat(parts=parts, dim=dim):
            return np.concatenate([value_of(p, arrays) for p in parts], dim)
        case Slice(of=of, dim=dim, start=start, stop=stop):
            value = value_of(of, arrays)
            return value[(*(slice(None),) * dim, slice(start, stop))]
        case Reshape(of=of, shape=shape):
            return value_of(of, arrays).reshape(shape)
        case Zeros(shape=shape):
            return np.zeros(shape)
        case _:
            raise ValueError("`value` is no expression over the source")


def _arrangements(expression: Expression, array: Any) -> Iterator[tuple[Expression, Any]]:
    """The arrays whose rows are looked up: a tensor as it is; a matrix transposed; a vector as one row; a stack, along
    its first dimension or its last one, of matrices, or of their transposes, with all of their rows."""
    yield expression, array
    last = array.ndim - 1
    if array.ndim == 1 and array.size > 1:
        yield Reshape(expression, (1, array.size)), array[None]
    elif array.ndim == 2:
        yield Transpose(expression, 0, 1), array.T
    elif array.ndim > 2:
        for order in (
            tuple(range(array.ndim)),
            (*range(last - 1), last, last - 1),
            (last, *range(last)),
        ):
            turned = np.transpose(array, order)
            rows = turned.reshape(-1, turned.shape[-1])
            yield Reshape(_in_order(expression, order), rows.shape), rows


def _in_order(expression: Expression, order: Sequence[int]) -> Expression:
    """The expression with dimension `order[k]` as its dimension k, by exchanges of two."""
    now = list(range(len(order)))
    for k, wanted in enumerate(order):
        at = now.index(wanted)
        if at != k:
            expression = Transpose(expression, k, at)
            now[k], now[at] = now[at], now[k]
    return expression


def _renamed(expression: Expression, old: str, new: str) -> Expression | None:
    match expression:
        case Ref(name=name):
            above, _, last = name.rpartition(".")
            return Ref(f"{above}.{new}" if above else new) if last == old else None
        case Concat(parts=parts, dim=dim):
            renamed = [_renamed(p, old, new) for p in parts]
            return Concat(tuple(p for p in renamed if p is not None), dim) if None not in renamed and dim == 0 else None
        case Slice(of=of, dim=0, start=start, stop=stop):
            renamed = _renamed(of, old, new)
            return None if renamed is None else Slice(renamed, 0, start, stop)
        case Transpose(of=of):
            return _renamed(of, old, new)
        case _:
            return None


def repeats(array: Any) -> bool:
    """Whether few of the values (of many, the first) are distinct, so that equal rows say little."""
    return array.size > 1 and np.unique(array.reshape(-1)[:_SAMPLE]).size * 2 < min(array.size, _SAMPLE)


def _rows(array: Any) -> list[bytes]:
    """A digest of each row."""
    flat = array.reshape(len(array), -1)
    height = max(1, _BLOCK // max(1, flat.shape[1]))
    blocks = (flat[k : k + height] for k in range(0, len(flat), height))
    return [row for block in in_threads(_row_digests, blocks) for row in block]


def _row_digests(block: Any) -> list[bytes]:
    return [blake2b(row, digest_size=16).digest() for row in _plain(block)]


def _digest(array: Any) -> bytes:
    """A digest of the elements, whatever the shape."""
    flat = array.reshape(-1)
    blocks = (flat[k : k + _BLOCK] for k in range(0, flat.size, _BLOCK))
    return blake2b(b"".join(in_threads(_block_digest, blocks)), digest_size=16).digest()


def _block_digest(block: Any) -> bytes:
    return blake2b(_plain(block), digest_size=16).digest()


def _plain(array: Any) -> Any:
    """A contiguous copy in 64 bits, with plus for minus zero."""
    return np.add(array, 0, dtype=np.float64 if array.dtype.kind == "f" else np.int64, order="C")
