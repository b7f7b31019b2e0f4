"""Delinearization: a flat buffer whose rows have symbolic length becomes an array of more dimensions.

    A[i*m + j]   =>   A[i, j]      where the facts show 0 <= j < m

isl cannot represent the product. `i` and `j` are quotient and remainder of the position by `m`, as the digits of a
number are: different digits are different positions. So if every access of a buffer has such a position, each element
is one `[i, j]`; where `m` is not positive there is no access at all. Rows may have rows.

- In a buffer of `n*m` elements, in bounds means `0 <= i < n`. A buffer of any other size has a shorter last row: the
  digits of a position in bounds are less than those of the size, in lexicographic order. An assertion before each
  access says so.
- An allocation is undefined if its size is negative. An assertion before it says so in terms of the factors. The new
  extents are at least 0, or the old allocation stays and nothing of it is accessed.
- A buffer that the caller sees has the same rows in both programs. What lies beyond its end is never accessed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder, rebuild
from hecv.base.types import BOOL, INDEX
from hecv.normal.loops.decoalescing import QUOTIENTS, REMAINDERS, decoalesce, divides_iv, divisors
from hecv.program.index import quasi_affine
from hecv.program.index.index_polynomials import divided, plus, polynomial_of, term_of
from hecv.program.index.index_ranges import NOTHING, Facts
from hecv.program.index.row_lengths import Lengths, Place, candidates, digits, has_rows, lengths_of, place_of
from hecv.program.path_conditions import own_terms, with_facts
from hecv.program.skeletons import memory_of
from hecv.program.term_substitution import recounted, rename
from hecv.program.tree import (
    Alloc,
    Argument,
    Assert,
    Block,
    Call,
    Function,
    If,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    memories_in,
    roots,
    walk,
)

Shape = tuple[Lengths, ...]
"""The lengths of rows for each dimension of a memory."""

Programs = tuple[tuple[Function, Function], tuple[Block, Block]]
"""The functions and the bodies of both programs."""

_OPS: Final = QUOTIENTS | REMAINDERS | {"affine.mul"}

KINDS: Final = (MemoryKind.ARGUMENT, MemoryKind.GLOBAL, MemoryKind.LOCAL)
"""The kinds of memory that may become arrays of rows."""


def delinearize(
    pool: TermPool, functions: tuple[Function, Function], bodies: tuple[Block, Block], facts: Facts
) -> Programs:
    """Both programs with flat buffers as arrays of rows, if all accesses show the rows.

    Requires: normal forms; the facts hold for all inputs under consideration.
    Ensures: the same accesses of the same elements, undefined on the same inputs.
    """
    if not any(t.op in _OPS for t in pool.terms()) or not any(_multiplies(b) or divides_iv(b) for b in bodies):
        return functions, bodies
    bodies = _counted(pool, bodies[0]), _counted(pool, bodies[1])
    made, rows = _attempt(pool, functions, bodies, facts)
    rows = [*dict.fromkeys((*rows, *(t for body in bodies for t in divisors(pool, body))))]
    if not rows or not any(_multiplies(b) or divides_iv(b) for b in made[1]):
        return made
    again, _ = _attempt(pool, functions, (decoalesce(pool, bodies[0], rows), decoalesce(pool, bodies[1], rows)), facts)
    return made if any(map(_multiplies, again[1])) else again


def _attempt(
    pool: TermPool, functions: tuple[Function, Function], bodies: tuple[Block, Block], facts: Facts
) -> tuple[Programs, list[Term]]:
    """Both programs with arrays of rows, and the lengths that rows may have."""
    sides = _Accesses(pool, functions[0], bodies[0], facts), _Accesses(pool, functions[1], bodies[1], facts)
    one, two = (
        side.rewritten(shape) if shape else (side.function, side.body)
        for side, shape in zip(sides, _shapes(pool, *sides), strict=True)
    )
    return ((one[0], two[0]), (one[1], two[1])), [*dict.fromkeys(t for side in sides for t in side.rows())]


def _counted(pool: TermPool, body: Block) -> Block:
    """The body with loops that begin at the start of a row (`for k = i*m to i*m + m`) counted from 0."""
    out: list[Statement] = []
    for s in body:
        match s:
            case Loop():
                made = _from_zero(pool, s)
                out.append(replace(made, body=_counted(pool, made.body)))
            case If():
                out.append(replace(s, then=_counted(pool, s.then), otherwise=_counted(pool, s.otherwise)))
            case _:
                out.append(s)
    return tuple(out)


def _from_zero(pool: TermPool, loop: Loop) -> Loop:
    """The loop counted from 0 if it begins at a product of a variable; any other as it is."""
    if len(loop.lowers) != 1 or loop.unsigned or not has_rows(place_of(loop.lowers[0], NOTHING)):
        return loop
    begin, ends = polynomial_of(loop.lowers[0]), [polynomial_of(t) for t in loop.uppers]
    spans = [plus(end, begin, -1) for end in ends if end is not None and begin is not None]
    if len(spans) < len(ends) or loop.iv.type != INDEX:
        return loop
    value = quasi_affine.add(pool, loop.iv, loop.lowers[0])
    body = recounted(pool, loop.body, lambda iv: value if iv is loop.iv else iv)
    uppers = tuple(term_of(pool, span) for span in spans)
    return replace(loop, lowers=(pool.integer(0),), uppers=uppers, body=body, fits=False)


def _multiplies(body: Block) -> bool:
    """True if an induction variable is a factor of a product."""
    terms = postorder(tuple(t for s in walk(body) for t in roots(s)))
    return any(t.op == "affine.mul" and any(a.op == "iv" for a in postorder(t.args)) for t in terms)


def _shapes(pool: TermPool, first: _Accesses, second: _Accesses) -> tuple[dict[int, Shape], dict[int, Shape]]:
    """The shapes of the memories of both programs that have rows; one shape for a memory that both know."""
    found: tuple[dict[int, Shape], dict[int, Shape]] = {}, {}
    for name in first.names.keys() | second.names.keys():
        one, two = first.names.get(name, -1), second.names.get(name, -1)
        shape = _shape(pool, [*first.places[one], *second.places[two]])
        if shape is not None and first.is_free(one) and second.is_free(two):
            found[0][one], found[1][two] = shape, shape
    for side, own in zip((first, second), found, strict=True):
        for memory in side.places.keys() - side.names.values():
            shape = _shape(pool, side.places[memory])
            if shape is not None and side.is_free(memory):
                own[memory] = shape
    return found


def _shape(pool: TermPool, places: Sequence[tuple[Place, ...]]) -> Shape | None:
    """The lengths of rows of a memory with such accesses; None if it has no rows, or if an access does not show
    them."""
    dimensions = [[*column] for column in zip(*places, strict=True)]
    if not any(has_rows(place) for column in dimensions for place in column):
        return None
    shape = [lengths_of(pool, column) if any(map(has_rows, column)) else () for column in dimensions]
    return None if None in shape else tuple(lengths for lengths in shape if lengths is not None)


class _Split(Struct, frozen=True):
    """A memory and its new form. `limits` has, for each dimension, the digits that those of a subscript are below, in
    lexicographic order."""

    memory: Memory
    shape: Shape
    limits: tuple[tuple[Term, ...], ...]


class _Accesses:
    """The accesses of one program by memory; rewrites them."""

    def __init__(self, pool: TermPool, function: Function, body: Block, facts: Facts) -> None:
        self._pool, self._facts = pool, facts
        self.function, self.body = function, body
        self.names = {f"argument {a.number}": a.memory.id for a in function.arguments if a.memory is not None}
        self.names |= {f"global {a.name}": a.memory.id for a in function.globals if a.memory is not None}
        self.places: defaultdict[int, list[tuple[Place, ...]]] = defaultdict(list)
        self._memories = memories_in(function, body)
        with_facts(pool, body, facts, self._noted)
        self._next = max((*function.memories(), *self._memories), default=0)
        called = {m.id for s in walk(body) if isinstance(s, Call) for m in s.memories}
        made = Counter(s.memory.id for s in walk(body) if isinstance(s, Alloc))
        self._excluded = (
            called | function.overlapping | function.rebased | {m for m, count in made.items() if count > 1}
        )
        self._excluded |= {c.memory.id for c in function.constants}
        if function.returned:
            self._excluded |= set(self._memories)

    def is_free(self, memory: int) -> bool:
        """True if a memory is only known by its elements, so that its shape may change."""
        own = self._memories.get(memory)
        return (
            own is not None
            and memory not in self._excluded
            and own.kind in KINDS
            and all(map(quasi_affine.is_proper, own.extents))
        )

    def rows(self) -> Iterator[Term]:
        """The candidates for row lengths: what variables are multiplied by in subscripts."""
        for places in self.places.values():
            for column in zip(*places, strict=True):
                yield from (term_of(self._pool, length) for length in candidates(column))

    def _noted(self, statement: Statement, facts: Facts) -> Block:
        for memory, indices in _accesses(statement):
            self.places[memory].append(tuple([place_of(t, facts) for t in indices]))
        return (statement,)

    def rewritten(self, shapes: dict[int, Shape]) -> tuple[Function, Block]:
        """The program with memories of other shapes."""
        splits = {number: self._split(self._memories[number], shape) for number, shape in shapes.items()}

        def changed(statement: Statement, facts: Facts) -> Block:
            return self._changed(statement, facts, splits)

        body = with_facts(self._pool, self.body, self._facts, changed)
        memories = {number: split.memory for number, split in splits.items()}
        made = replace(
            self.function,
            arguments=tuple(_with_memory(a, memories) for a in self.function.arguments),
            globals=tuple(_with_memory(a, memories) for a in self.function.globals),
        )
        return made, rename(body, memories)

    def _split(self, memory: Memory, shape: Shape) -> _Split:
        limits = tuple(_limits(self._pool, e, lengths) for e, lengths in zip(memory.extents, shape, strict=True))
        extents: list[Term] = []
        for limit, lengths in zip(limits, shape, strict=True):
            outer = quasi_affine.combine(self._pool, int(_is_ragged(limit)), ((limit[0], 1),))
            own = (outer, *(term_of(self._pool, length) for length in reversed(lengths)))
            extents += map(self._clipped, own) if lengths and memory.kind is MemoryKind.LOCAL else own
        return _Split(replace(memory, extents=tuple(extents)), shape, limits)

    def _clipped(self, extent: Term) -> Term:
        if self._facts.nonnegative(self._pool, extent):
            return extent
        return quasi_affine.extremum(self._pool, "affine.max", (extent, self._pool.integer(0)))

    def _changed(self, statement: Statement, facts: Facts, splits: dict[int, _Split]) -> Block:
        if isinstance(statement, Alloc):
            split = splits.get(statement.memory.id)
            return (*(() if split is None else self._sized(statement, split, facts)), statement)
        asserted: dict[Term, None] = {}
        memo: dict[int, Term] = {}

        def placed(memory: int, indices: tuple[Term, ...]) -> tuple[Term, ...]:
            found: list[Term] = []
            for index, lengths, limit in zip(indices, splits[memory].shape, splits[memory].limits, strict=True):
                own = (index,) if not lengths else digits(self._pool, place_of(index, facts), lengths)
                assert own is not None  # `lengths_of` found them
                if lengths and _is_ragged(limit):
                    asserted[_less(self._pool, own, limit)] = None
                found += own
            return tuple(found)

        def leaf(term: Term) -> Term | None:
            if term.op != "load" or memory_of(term) not in splits:
                return None
            return self._pool.load(memory_of(term), placed(memory_of(term), term.args), term.type)

        made = own_terms(statement, lambda term: rebuild(self._pool, term, leaf, memo))
        if isinstance(made, Store) and made.memory.id in splits:
            assert isinstance(statement, Store)
            made = replace(made, indices=placed(made.memory.id, statement.indices))
        text = "an element lies beyond the end of a buffer"
        return (*[Assert(statement.id, condition, text) for condition in asserted], made)

    def _sized(self, alloc: Alloc, split: _Split, facts: Facts) -> Block:
        """The assertions about the size of an allocation whose extents are factored."""
        factors: list[Term] = []
        for extent, lengths, limit in zip(alloc.memory.extents, split.shape, split.limits, strict=True):
            if not lengths or facts.nonnegative(self._pool, extent):
                continue
            parts = [limit[0], *(term_of(self._pool, length) for length in lengths)]
            signs = None if _is_ragged(limit) else _signs(self._pool, parts)
            if signs is None:
                self._next += 1
                return (Alloc(alloc.id, replace(alloc.memory, id=self._next)),)
            factors += signs
        if not factors:
            return ()
        return (Assert(alloc.id, _product(self._pool, factors, True), "an extent is negative"),)


def _accesses(statement: Statement) -> Iterable[tuple[int, tuple[Term, ...]]]:
    """The memories that a statement itself accesses, with the subscripts."""
    if isinstance(statement, Store):
        yield statement.memory.id, statement.indices
    terms = () if isinstance(statement, Alloc) else roots(statement)
    exact = statement.exact if isinstance(statement, If | Assert) else ()
    for term in postorder((*terms, *exact)):
        if term.op == "load":
            yield memory_of(term), term.args


def _with_memory(argument: Argument, memories: dict[int, Memory]) -> Argument:
    own = argument.memory
    return argument if own is None or own.id not in memories else replace(argument, memory=memories[own.id])


def _limits(pool: TermPool, extent: Term, lengths: Lengths) -> tuple[Term, ...]:
    """The digits of an extent; the last one is the remainder by the first length."""
    found: list[Term] = []
    for length in lengths:
        whole = polynomial_of(extent)
        parts = None if whole is None else divided(whole, length)
        by = term_of(pool, length)
        if parts is not None and not parts[1]:
            found.append(pool.integer(0))
            extent = term_of(pool, parts[0])
        else:
            found.append(quasi_affine.modulo(pool, extent, by))
            extent = quasi_affine.floordiv(pool, extent, by)
    return (extent, *reversed(found))


def _is_ragged(limit: tuple[Term, ...]) -> bool:
    """True if the last row is shorter than the others."""
    return any(literal(digit) != 0 for digit in limit[1:])


def _less(pool: TermPool, left: Sequence[Term], right: Sequence[Term]) -> Term:
    """`left < right` in lexicographic order, for digits that are at least 0."""
    first = _compared(pool, "slt", left[0], right[0])
    if not _is_ragged(tuple(right)):
        return first
    same = _compared(pool, "eq", left[0], right[0])
    rest = pool.make("arith.andi", (same, _less(pool, left[1:], right[1:])), BOOL)
    return pool.make("arith.ori", (first, rest), BOOL)


def _signs(pool: TermPool, parts: Sequence[Term]) -> list[Term] | None:
    """Numbers whose product has the sign of the product of the parts, each a variable or a comparison away from one;
    None if there are none."""
    found: list[Term] = []
    for part in parts:
        coefficient, factors = quasi_affine.factors(part)
        if not factors and coefficient:
            factors = [pool.integer(coefficient)]
        elif coefficient <= 0:
            return None
        if any(
            len(quasi_affine.linear(f).terms) > 1 or any(c != 1 for _, c in quasi_affine.linear(f).terms)
            for f in factors
        ):
            return None
        found += factors
    return found


def _product(pool: TermPool, factors: Sequence[Term], positive: bool) -> Term:
    """The condition that a product is at least 0, or, if not `positive`, at most 0. It compares no arithmetic, which
    would be assumed not to overflow."""
    first, rest = quasi_affine.linear(factors[0]), factors[1:]
    atom = first.terms[0][0] if first.terms else pool.integer(0)
    bound = pool.integer(-first.constant)
    above, below = (_compared(pool, p, atom, bound) for p in ("sge", "sle"))
    if not rest:
        return above if positive else below
    same = pool.make("arith.andi", (above, _product(pool, rest, positive)), BOOL)
    other = pool.make("arith.andi", (below, _product(pool, rest, not positive)), BOOL)
    return pool.make("arith.ori", (same, other), BOOL)


def _compared(pool: TermPool, predicate: str, left: Term, right: Term) -> Term:
    return pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))
