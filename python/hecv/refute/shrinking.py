"""Shrinking of counterexamples: few iterations, small sizes, simple values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import perf_counter, process_time
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IntType
from hecv.base.value import Buffer, Scalar, Value
from hecv.program.index.exact_integers import signed
from hecv.program.tree import Function, Memory
from hecv.refute.aliased_inputs import changed, kept
from hecv.refute.differential_runs import Difference, Trials
from hecv.refute.input_generation import encode, shape

SECONDS: Final = 1.0
MOST_RUNS: Final = 400
MOST_STEPS: Final = 500_000
"""The most steps of a run: a longer one takes several times as long, and few fit into the time."""
MOST_ENLARGED: Final = 20_000
"""The most elements of an enlarged input."""


class _Clock:
    """Ends after `SECONDS` of processor time, or so many by the clock."""

    def __init__(self, seconds: float) -> None:
        self._ends = process_time() + SECONDS, perf_counter() + seconds

    def over(self) -> bool:
        return process_time() > self._ends[0] or perf_counter() > self._ends[1]


class _Search(Struct):
    """The smallest difference so far, and what may still be spent on a smaller one."""

    trials: Trials
    allowed: Callable[[tuple[Value, ...]], bool]
    best: Difference
    clock: _Clock
    counts: Callable[[Difference], bool]
    runs: int = MOST_RUNS

    def over(self) -> bool:
        return self.runs <= 0 or self.clock.over()

    def accept(self, arguments: tuple[Value, ...]) -> bool:
        """Whether `arguments` show a difference of the same kind; if so they become the best."""
        if self.over() or not self.allowed(arguments):
            return False
        self.runs -= 1
        found = self.trials.attempt(arguments, MOST_STEPS)
        if found is None or (found.kind, found.reordered) != (self.best.kind, self.best.reordered):
            return False
        if found.kind == "value" and found.has_poison() and not self.best.has_poison():
            return False
        if not self.counts(found):
            return False
        self.best = found
        return True


def shrink(
    trials: Trials,
    function: Function,
    difference: Difference,
    allowed: Callable[[tuple[Value, ...]], bool],
    counts: Callable[[Difference], bool] = lambda found: True,
    seconds: float = math.inf,
) -> Difference:
    """A difference of the same kind on a smaller input, as far as time allows: at most so many seconds by the clock.

    `allowed` decides whether arguments satisfy the assumptions, `counts` whether a difference is one that is wanted.
    """
    search = _Search(trials, allowed, difference, _Clock(seconds), counts)
    _shrink_sizes(search, function)
    _shrink_contents(search, function)
    return search.best


def prefer_value(
    trials: Trials,
    function: Function,
    difference: Difference,
    allowed: Callable[[tuple[Value, ...]], bool],
    seconds: float = math.inf,
) -> Difference:
    """A difference in values instead of an access out of bounds: in larger memrefs the access may be in bounds, and
    what it does then shows."""
    if difference.kind != "undefined-behavior":
        return difference
    sizes, clock = _sizes(function, difference.arguments), _Clock(seconds)
    for more in (1, 4, 16, 64):
        larger = {t: n + more if t.op == "dim" else n for t, n in sizes.items()}
        if larger == sizes or sum(map(math.prod, _shapes(function, larger))) > MOST_ENLARGED:
            break
        if clock.over():
            break
        arguments = _resized(function, difference.arguments, larger)
        found = trials.attempt(arguments) if allowed(arguments) else None
        if found is not None and found.kind == "value" and not found.has_poison():
            return found
    return difference


def _shapes(function: Function, sizes: dict[Term, int]) -> list[tuple[int, ...]]:
    return [shape(a.memory, sizes) for a in function.inputs() if a.memory is not None]


# Sizes


def _shrink_sizes(search: _Search, function: Function) -> None:
    """Scalar integers and dynamic extents: first all at once, then each alone, until nothing gets smaller."""
    sizes = _sizes(function, search.best.arguments)
    for most in _caps(max(map(abs, sizes.values()), default=0)):
        capped = {t: max(-most, min(most, v)) for t, v in sizes.items()}
        if search.over() or search.accept(_resized(function, search.best.arguments, capped)):
            break
    smaller = True
    while smaller and not search.over():
        made = [_shrink_size(search, function, term) for term in sizes]
        smaller = any(made)


def _caps(greatest: int) -> Iterator[int]:
    """Every bound up to 32, then each half as large again, below `greatest`."""
    most = 0
    while most < greatest:
        yield most
        most += 1 if most < 32 else most // 2


def _shrink_size(search: _Search, function: Function, term: Term) -> bool:
    """Makes one size smaller; where extents or arguments have the same value, also all of these together."""
    sizes = _sizes(function, search.best.arguments)
    value = sizes[term]
    for smaller in _smaller(value):
        if term.op == "dim" and smaller < 0:
            continue
        together = {t: smaller if v == value else v for t, v in sizes.items()}
        for smaller_sizes in (together, {**sizes, term: smaller}):
            if search.accept(_resized(function, search.best.arguments, smaller_sizes)):
                return True
    return False


def _smaller(value: int) -> Iterator[int]:
    """Simpler values than `value`, the simplest first: 0, 1, half, one less, and -5 after 5."""
    step = 1 if value > 0 else -1
    yield from dict.fromkeys(v for v in (0, 1, 2, value // 2, value - step) if abs(v) < abs(value))
    if value < 0:
        yield -value


def _sizes(function: Function, arguments: tuple[Value, ...]) -> dict[Term, int]:
    """Scalar integer arguments, signed, and dynamic extents."""
    found: dict[Term, int] = {}
    for argument, value in zip(function.inputs(), arguments, strict=True):
        if isinstance(value, Buffer):
            assert argument.memory is not None
            found |= {e: n for e, n in zip(argument.memory.extents, value.shape, strict=True) if literal(e) is None}
        elif isinstance(value, int) and argument.term is not None and not isinstance(argument.type, FloatType):
            kind = argument.type
            found[argument.term] = signed(value, kind.width) if isinstance(kind, IntType) else value
    return found


def _resized(function: Function, arguments: tuple[Value, ...], sizes: dict[Term, int]) -> tuple[Value, ...]:
    """The arguments with these sizes; buffers keep the elements that stay in them."""
    resized: list[Value] = []
    for argument, value in zip(function.inputs(), arguments, strict=True):
        if isinstance(value, Buffer) and argument.memory is not None:
            resized.append(_crop(value, argument.memory, sizes))
        elif argument.term is not None and argument.term in sizes:
            resized.append(encode(argument.term.type, sizes[argument.term]))
        else:
            resized.append(value)
    return kept(arguments, resized)


def _crop(buffer: Buffer, memory: Memory, sizes: dict[Term, int]) -> Buffer:
    """`buffer` with the extents that `sizes` gives; new elements are copies of the first."""
    extents = shape(memory, sizes)
    if extents == buffer.shape:
        return buffer
    filler: Scalar = buffer.data[0] if buffer.data else (1.0 if isinstance(memory.element, FloatType) else 1)
    data = [filler] * math.prod(extents)
    common = [min(n, m) for n, m in zip(extents, buffer.shape, strict=True)]
    for index in _indices(common):
        data[_row_major(index, extents)] = buffer.data[_row_major(index, buffer.shape)]
    return Buffer(extents, data)


def _indices(extents: list[int]) -> Iterator[tuple[int, ...]]:
    if math.prod(extents) == 0:
        return
    index = [0] * len(extents)
    while True:
        yield tuple(index)
        for k in reversed(range(len(extents))):
            index[k] += 1
            if index[k] < extents[k]:
                break
            index[k] = 0
        else:
            return


def _row_major(index: tuple[int, ...], extents: tuple[int, ...]) -> int:
    position = 0
    for i, n in zip(index, extents, strict=True):
        position = position * n + i
    return position


# Contents


def _shrink_contents(search: _Search, function: Function) -> None:
    """Elements and float arguments become 0 or 1: whole buffers, then halves, down to single elements."""
    for number, argument in enumerate(function.inputs()):
        value = search.best.arguments[number]
        if isinstance(value, Buffer):
            whole = 1.0 if isinstance(value.data and value.data[0], float) else 1
            _shrink_range(search, number, 0, len(value.data), (whole * 0, whole))
        elif isinstance(argument.type, FloatType):
            any(
                search.accept(changed(search.best.arguments, number, simple))
                for simple in (0.0, 1.0, 2.0)
                if simple != value
            )


def _shrink_range(search: _Search, number: int, start: int, stop: int, simple: tuple[Scalar, Scalar]) -> None:
    if start >= stop or search.over():
        return
    buffer = search.best.arguments[number]
    assert isinstance(buffer, Buffer)
    if _is_simple(buffer.data[start:stop], simple):
        return
    for value in simple:
        data = [*buffer.data[:start], *([value] * (stop - start)), *buffer.data[stop:]]
        if search.accept(changed(search.best.arguments, number, Buffer(buffer.shape, data))):
            return
    if stop - start == 1:
        return _shrink_element(search, number, start)
    middle = (start + stop) // 2
    _shrink_range(search, number, start, middle, simple)
    _shrink_range(search, number, middle, stop, simple)


def _shrink_element(search: _Search, number: int, position: int) -> None:
    """An element that may be neither 0 nor 1 becomes a whole number, where it can."""
    buffer = search.best.arguments[number]
    assert isinstance(buffer, Buffer)
    element = buffer.data[position]
    candidates = (2.0, -1.0) if isinstance(element, float) else (2, 3)
    for value in candidates:
        data = [*buffer.data]
        data[position] = value
        if value != element and search.accept(changed(search.best.arguments, number, Buffer(buffer.shape, data))):
            return


def _is_simple(data: list[Scalar], simple: tuple[Scalar, Scalar]) -> bool:
    """Whether every element is the same simple value already (`repr` tells 0.0 from -0.0)."""
    texts = {repr(x) for x in data}
    return len(texts) == 1 and texts <= {repr(s) for s in simple}
