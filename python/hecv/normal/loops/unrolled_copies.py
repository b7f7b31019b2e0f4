"""Finds copies in arithmetic progression among the statements of a block: what an unroller made of a loop's body."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hecv.base.term import Term
from hecv.program.skeletons import Shape, memory_of
from hecv.program.tree import Alloc, Assert, Call, Dealloc, If, Loop, Statement, Store, Touch, While, walk

MAX_PERIOD = 64
"""Statements of one copy, at most."""
MAX_CANDIDATES = 16
"""Periods to try at a statement, at most."""


class Progression(Struct, frozen=True):
    """`count` copies of the `period` statements from `start`, with the increment of each hole from copy to copy."""

    start: int
    period: int
    count: int
    deltas: tuple[tuple[int, ...], ...]


def _periods(places: list[int], at: int) -> list[int]:
    """The first few distances to a later statement of the same skeleton."""
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if places[middle] <= at else (low, middle)
    later = places[low : low + MAX_CANDIDATES]
    return [p - at for p in later if p - at <= MAX_PERIOD]


def better_next(
    statements: list[Statement],
    shapes: list[Shape],
    at: int,
    places: dict[int, list[int]],
    found: Progression,
) -> bool:
    """True if a longer progression begins one statement later. Any two copies of equal skeleton are a progression, also
    an odd one out and the copy after it."""
    later = best(statements, shapes, at + 1, places)
    return later is not None and later.count > 2 and later.count * later.period > found.count * found.period


def best(statements: list[Statement], shapes: list[Shape], at: int, places: dict[int, list[int]]) -> Progression | None:
    """The progression from `at` that takes in most statements; None if there is none."""
    best: Progression | None = None
    for period in _periods(places[shapes[at].skeleton], at):
        found = progression(statements, shapes, at, period)
        if found and (best is None or found.count * found.period > best.count * best.period):
            best = found
    return best


def progression(statements: list[Statement], shapes: list[Shape], at: int, period: int) -> Progression | None:
    """The longest run of copies of `period` statements from `at`; None below two copies."""
    first = shapes[at : at + period]
    if at + 2 * period > len(shapes):
        return None
    if any(a.skeleton != b.skeleton for a, b in zip(first, shapes[at + period : at + 2 * period], strict=True)):
        return None
    second = shapes[at + period : at + 2 * period]
    deltas = tuple(
        tuple(y - x for x, y in zip(a.holes, b.holes, strict=True)) for a, b in zip(first, second, strict=True)
    )
    own = _allocated(statements[at : at + period])
    count = 1
    while at + (count + 1) * period <= len(shapes):
        start = at + count * period
        copy = shapes[start : start + period]
        if not all(_continues(a, c, d, count) for a, c, d in zip(first, copy, deltas, strict=True)):
            break
        if not _same_memories(first, copy, own, _allocated(statements[start : start + period])):
            break
        count += 1
    if count < 2 or (count == 2 and not coherent(first, deltas)) or not _confined(statements, at, period, count):
        return None
    return Progression(at, period, count, deltas)


def coherent(shapes: list[Shape], deltas: tuple[tuple[int, ...], ...]) -> bool:
    """True if the constants of one linear form move alike, as in the copies of an unrolled loop.

    Any two copies are an arithmetic progression, also `A[i] + A[i-1]` and, with one operand pair exchanged,
    `A[i] + A[i+1]`. Rolling these is sound, but hides what they have in common with the other program.
    """
    moves: dict[int, int] = {}
    return all(
        form is None or moves.setdefault(form, delta) == delta
        for shape, own in zip(shapes, deltas, strict=True)
        for form, delta in zip(shape.forms, own, strict=True)
    )


def _continues(first: Shape, copy: Shape, deltas: tuple[int, ...], count: int) -> bool:
    return first.skeleton == copy.skeleton and all(
        y == x + count * d for x, y, d in zip(first.holes, copy.holes, deltas, strict=True)
    )


def _allocated(statements: list[Statement]) -> list[int]:
    return [s.memory.id for s in walk(tuple(statements)) if isinstance(s, Alloc)]


def _same_memories(first: list[Shape], copy: list[Shape], own: list[int], other: list[int]) -> bool:
    """True if the copy names the same memories; the allocations of both correspond."""
    renamed = dict(zip(own, other, strict=True)) if len(own) == len(other) else {}
    return all(
        renamed.get(m, m) == n
        for a, b in zip(first, copy, strict=True)
        for m, n in zip(a.memories, b.memories, strict=True)
    )


def _confined(statements: list[Statement], at: int, period: int, count: int) -> bool:
    """True if a memory allocated in a copy is named in that copy only.

    A memory that outlives its copy (allocated in the last copy, read after the loop) must keep its name.
    """
    own = _allocated(statements[at : at + period * count])
    if not own:
        return True
    end = at + period * count
    inside = set(own)
    if any(m in inside for s in (*statements[:at], *statements[end:]) for m in named(s)):
        return False
    for k in range(count):
        copy = statements[at + k * period : at + (k + 1) * period]
        local = set(_allocated(copy))
        if any(m in inside and m not in local for s in copy for m in named(s)):
            return False
    return True


def named(statement: Statement) -> Iterator[int]:
    """Every memory that a statement names, by access or allocation."""
    for inner in walk((statement,)):
        if isinstance(inner, Store | Alloc | Dealloc):
            yield inner.memory.id
        if isinstance(inner, Call):
            yield from (m.id for m in (*inner.memories, *inner.results))
        stack = list(_terms(inner))
        seen: set[int] = set()
        while stack:
            term = stack.pop()
            if term.id in seen:
                continue
            seen.add(term.id)
            if term.op == "load":
                yield memory_of(term)
            stack.extend(term.args)


def _terms(statement: Statement) -> tuple[Term, ...]:
    match statement:
        case Store():
            return (*statement.indices, statement.value)
        case Touch():
            return (*statement.accesses, *statement.terms)
        case Alloc(memory=memory):
            return memory.extents
        case Loop():
            return (*statement.lowers, *statement.uppers)
        case If() | Assert():
            return (statement.condition, *statement.exact)
        case While():
            return (statement.condition,)
        case Call():
            return statement.operands
        case _:
            return ()
