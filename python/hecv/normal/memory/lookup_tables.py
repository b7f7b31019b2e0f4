"""Look-ups in a table become the function that the table holds.

    for %i = 0 to 256 { store f(%i), %t[%i] }
    ... load %t[%p] ...                              =>   ... f(%p) ...

A local table that one loop fills, each element once and nothing else, holds `f(p)` at `p` from then on: what the loop
does for an element is done again at the look-up, from memory that is never written. A constant table is read as a
function of the subscript: arithmetic progressions (modulo `2**width`) with a choice between them, or a sum modulo 2 of
what each bit of the subscript contributes, as in tables of cyclic redundancy checks.

The load itself stays unless the subscript is shown to be in bounds and no poison. A table that is filled in part is
looked at only where the subscript is shown to lie there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL, INDEX, IntType
from hecv.normal.integers.guarded_bounds import GuardedBounds
from hecv.ops.integer_bounds import Bounds, bounds
from hecv.program.block_cloning import Copies, Replacement
from hecv.program.path_conditions import own_terms
from hecv.program.proper_terms import ProperTerms
from hecv.program.read_write_sets import number
from hecv.program.tree import (
    Alloc,
    Block,
    Call,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    MemoryKind,
    Statement,
    Store,
    While,
    walk,
)

MOST_PIECES: Final = 64
"""Arithmetic progressions of a constant table, at most, for it to be a choice between them."""
MOST_ELEMENTS: Final = 256
"""Elements of a constant table, at most, for it to be a choice between all of them."""
LONGEST: Final = 1 << 16
"""Elements of a constant table that are looked at, at most."""

Given = Mapping[Term, Bounds]


class Filled(Struct, frozen=True):
    """A loop that fills a table from `low` to below `high`."""

    loop: Loop
    low: int
    high: int
    whole: bool


def without_look_ups(pool: TermPool, function: Function, index_width: int) -> Function:
    """The function with what tables hold in the place of look-ups.

    Requires: the tree as read. Ensures: it does the same on every input.
    """
    statements = [*walk(function.body)]
    if any(isinstance(s, Call) for s in statements):
        return function
    change = _LookUps(pool, function, statements, index_width)
    body = change.block(function.body, 0, {}, {})
    if not change.changed:
        return function
    proper = ProperTerms([*walk(body)])
    idle = {s.id for s in walk(body) if isinstance(s, Load) and s.id in change.within and proper(s.indices[0])}
    return replace(function, body=_without(body, idle))


def _without(block: Block, loads: set[int]) -> Block:
    """The block without some loads, which nothing uses."""
    out: list[Statement] = []
    for statement in block:
        match statement:
            case Load() if statement.id in loads:
                pass
            case Loop():
                out.append(replace(statement, body=_without(statement.body, loads)))
            case If():
                then, otherwise = (_without(b, loads) for b in (statement.then, statement.otherwise))
                out.append(replace(statement, then=then, otherwise=otherwise))
            case While():
                before, after = (_without(b, loads) for b in (statement.before, statement.after))
                out.append(replace(statement, before=before, after=after))
            case _:
                out.append(statement)
    return tuple(out)


class _LookUps:
    def __init__(self, pool: TermPool, function: Function, statements: Sequence[Statement], index_width: int) -> None:
        self._pool = pool
        self._index_width = index_width
        self._overlapping = function.overlapping
        self._stores = Counter(s.memory.id for s in statements if isinstance(s, Store))
        self._freed = {s.memory.id for s in statements if isinstance(s, Dealloc)}
        self._constants = {
            c.memory.id: [c.contents[0]] * size if len(c.contents) == 1 else c.contents
            for c in function.constants
            if c.contents is not None and len(c.memory.extents) == 1
            if isinstance(size := literal(c.memory.extents[0]), int) and size <= LONGEST
        }
        self._copies = Copies(pool, function)
        self._equal: dict[Term, Term] = {}
        self._replaced = Replacement(pool, self._equal.get)
        self.changed = False
        self.within: set[int] = set()
        """The loads of tables that are in bounds unless their subscript is poison."""

    def block(self, block: Block, depth: int, given: Given, filled: Mapping[int, Filled]) -> Block:
        """The block, in so many loops; of terms there the bounds are `given`, and some tables are `filled`."""
        out: list[Statement] = []
        filled = dict(filled)
        for before in block:
            # The condition of a while is made of what it reads itself.
            statement = before if isinstance(before, While) else own_terms(before, self._replaced)
            for inner in walk((statement,)):
                if isinstance(inner, Dealloc | Alloc):
                    filled.pop(inner.memory.id, None)
            match statement:
                case Load():
                    out += self._load(statement, depth, given, filled)
                case Loop():
                    inside = number(statement.iv, "depth") + 1, {**given, **self._counted(statement)}
                    statement = replace(statement, body=self.block(statement.body, *inside, filled))
                    out.append(statement)
                    filled |= self._filled(statement)
                case If():
                    known = GuardedBounds(self._index_width, given)
                    then, otherwise = (
                        self.block(part, depth, known.under(statement.condition, holds).given, filled)
                        for part, holds in ((statement.then, True), (statement.otherwise, False))
                    )
                    out.append(replace(statement, then=then, otherwise=otherwise))
                case While():
                    parts = (self.block(part, depth, given, filled) for part in (statement.before, statement.after))
                    made = replace(statement, before=next(parts), after=next(parts))
                    out.append(own_terms(made, self._replaced))
                case _:
                    out.append(statement)
        return tuple(out)

    def _counted(self, loop: Loop) -> dict[Term, Bounds]:
        """The bounds of the variable of a loop with literal bounds."""
        low, high = ([v for t in ts if isinstance(v := literal(t), int)] for ts in (loop.lowers, loop.uppers))
        if loop.iv.type != INDEX or not low or not high or max(low) >= min(high):
            return {}
        return {loop.iv: bounds(self._index_width, signed=(max(low), min(high) - 1))}

    def _load(self, load: Load, depth: int, given: Given, filled: Mapping[int, Filled]) -> Block:
        """A look-up, and what takes its place."""
        memory = load.memory
        if len(load.indices) != 1 or literal(load.indices[0]) is not None:
            return (load,)
        (place,) = load.indices
        known = GuardedBounds(self._index_width, given).of(place)
        assert known is not None
        table = filled.get(memory.id)
        if table is not None:
            within = table.low <= known.least and known.most < table.high
            if not within and not table.whole:
                return (load,)
            found = self._done_again(table, place, depth)
        elif memory.id in self._constants:
            contents = self._constants[memory.id]
            within = known.least >= 0 and known.most < len(contents)
            low, high = max(0, known.least), min(len(contents) - 1, known.most)
            value = (
                Contents(self._pool, place, self._index_width).of(low, contents[low : high + 1])
                if low <= high
                else None
            )
            if value is None:
                return (load,)
            found = (), value
        else:
            return (load,)
        self.changed = True
        statements, value = found
        self._equal[self._pool.read(load.id, memory.element)] = value
        if within:
            self.within.add(load.id)
        return load, *statements

    # Tables that are filled

    def _filled(self, loop: Loop) -> dict[int, Filled]:
        """The table that a loop fills."""
        bounds = [literal(t) for t in (*loop.lowers, *loop.uppers, loop.step)]
        if loop.iv.type != INDEX or loop.parallel or len(bounds) != 3 or bounds[2] != 1:
            return {}
        own = {s.memory.id for s in walk(loop.body) if isinstance(s, Alloc)}
        stores = [s for s in loop.body if isinstance(s, Store) and s.memory.id not in own]
        if len(stores) != 1 or not self._may_be_done_again(loop, stores[0], own):
            return {}
        memory, (low, high) = stores[0].memory, bounds[:2]
        size = literal(memory.extents[0]) if len(memory.extents) == 1 else None
        if not isinstance(low, int) or not isinstance(high, int) or not isinstance(size, int):
            return {}
        if not 0 <= low < high <= size or stores[0].indices != (loop.iv,):
            return {}
        return {memory.id: Filled(loop, low, high, low == 0 and high == size)}

    def _may_be_done_again(self, loop: Loop, store: Store, own: set[int]) -> bool:
        """Whether the body of a loop writes one element of a local table alone, by what is never written."""
        memory = store.memory
        if memory.kind is not MemoryKind.LOCAL or self._stores[memory.id] != 1 or store.guarded:
            return False
        for statement in walk(loop.body):
            match statement:
                case Load(memory=read):
                    if read.id not in own and (read.id in self._stores or read.id in self._overlapping):
                        return False
                    if read.kind is MemoryKind.LOCAL or read.id in self._freed:
                        return False
                case Store(memory=written):
                    if statement is not store and written.id not in own:
                        return False
                case Alloc(memory=made):
                    if made.kind is not MemoryKind.CELL:
                        return False
                case Loop(parallel=False) | If() | Evaluate():
                    pass
                case _:
                    return False
        return memory.id not in self._overlapping

    def _done_again(self, table: Filled, place: Term, depth: int) -> tuple[Block, Term]:
        """What fills the element at `place`, and its value."""
        loop, pool = table.loop, self._pool
        outer = number(loop.iv, "depth") + 1
        settled = {loop.iv: place}
        for inner in walk(loop.body):
            if isinstance(inner, Loop):
                settled[inner.iv] = pool.induction(number(inner.iv, "depth") - outer + depth, inner.iv.type)
        copy = self._copies.of(loop.body, settled, inner=True)
        stores = [s for s in copy if isinstance(s, Store) and s.memory.kind is MemoryKind.LOCAL]
        return tuple([s for s in copy if s is not stores[0]]), stores[0].value


# Constant tables


class Contents(Struct, frozen=True):
    """The elements of a constant as a function of a subscript."""

    pool: TermPool
    place: Term
    index_width: int

    def of(self, first: int, elements: Sequence[Term]) -> Term | None:
        """The element at the subscript, which lies in `elements`; the first of them is number `first`. None if it is
        none of the functions that are looked for."""
        values = [v for e in elements if isinstance(v := literal(e), int)]
        pieces = _progressions(values, elements)
        whole = first == 0 and len(values) == len(elements) and isinstance(elements[0].type, IntType)
        if len(pieces) > MOST_PIECES and whole:
            masks = _parities(values)
            if masks is not None:
                return self._by_bits(elements[0], masks)
        if len(pieces) <= MOST_PIECES or len(elements) <= MOST_ELEMENTS:
            return self._chosen([(first + start, step, elements[start]) for start, step in pieces])
        return None

    def _chosen(self, pieces: list[tuple[int, int, Term]]) -> Term:
        """A balanced choice between progressions, by where each starts."""
        made = [(start, self._progression(*piece)) for piece in pieces for start in (piece[0],)]
        while len(made) > 1:
            pairs = [made[k : k + 2] for k in range(0, len(made), 2)]
            made = [(pair[0][0], self._choice(*pair) if len(pair) == 2 else pair[0][1]) for pair in pairs]
        return made[0][1]

    def _choice(self, left: tuple[int, Term], right: tuple[int, Term]) -> Term:
        number = self._number()
        predicate = "slt" if number is self.place else "ult"
        bound = self.pool.integer(right[0], number.type)
        below = self.pool.make("arith.cmpi", (number, bound), BOOL, (("predicate", predicate),))
        return self.pool.make("arith.select", (below, left[1], right[1]), left[1].type)

    def _number(self) -> Term:
        """The subscript as it was before a cast to `index`."""
        place = self.place
        if place.op not in ("arith.index_cast", "arith.index_castui") or place.attrs:
            return place
        inner = place.args[0]
        return inner if isinstance(inner.type, IntType) and inner.type.width <= self.index_width else place

    def _progression(self, start: int, step: int, first: Term) -> Term:
        """`first + step * (place - start)`."""
        pool, kind = self.pool, first.type
        if not step:
            return first
        value = literal(first)
        assert isinstance(kind, IntType) and isinstance(value, int)
        moved = pool.make("arith.muli", (self._cast(kind), pool.integer(step, kind)), kind) if step != 1 else None
        made = moved or self._cast(kind)
        offset = (value - step * start) % (1 << kind.width)
        return pool.make("arith.addi", (made, pool.integer(offset, kind)), kind) if offset else made

    def _cast(self, kind: IntType) -> Term:
        """The subscript as an integer of the type of the elements."""
        number = self._number()
        if number.type == kind:
            return number
        if not isinstance(number.type, IntType):
            return self.pool.make("arith.index_cast", (number,), kind)
        op = "arith.extui" if number.type.width < kind.width else "arith.trunci"
        return self.pool.make(op, (number,), kind)

    def _by_bits(self, first: Term, masks: list[int]) -> Term:
        """`first` with `masks[k]` added modulo 2 where bit `k` of the subscript is set."""
        pool, kind, number = self.pool, first.type, self._number()
        assert isinstance(kind, IntType)
        made, zero = first, pool.integer(0, kind)
        for k, mask in enumerate(masks):
            bit = pool.make("arith.andi", (number, pool.integer(1 << k, number.type)), number.type)
            is_set = pool.make("arith.cmpi", (bit, pool.integer(0, number.type)), BOOL, (("predicate", "ne"),))
            part = pool.make("arith.select", (is_set, pool.integer(mask, kind), zero), kind)
            made = part if literal(made) == 0 else pool.make("arith.xori", (made, part), kind)
        return made


def _progressions(values: Sequence[int], elements: Sequence[Term]) -> list[tuple[int, int]]:
    """The starts of arithmetic progressions modulo `2**width`, longest first from the left, and their steps; only of
    equal elements where these are no integers of such a type."""
    kind = elements[0].type
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(elements):
        end, step = start + 1, 0
        if isinstance(kind, IntType) and end < len(elements):
            step = (values[end] - values[start]) % (1 << kind.width)
        while end < len(elements) and (
            (values[end] - values[end - 1] - step) % (1 << kind.width) == 0
            if isinstance(kind, IntType)
            else elements[end] is elements[start]
        ):
            end += 1
        found.append((start, step if end > start + 2 or not step else 0))
        start = end if end > start + 2 or not step else start + 1
    return found


def _parities(values: list[int]) -> list[int] | None:
    """What each bit of the position adds modulo 2 to the first value; None if values are no such sums."""
    bits = (len(values) - 1).bit_length()
    if len(values) < 4 or len(values) != 1 << bits:
        return None
    masks = [values[1 << k] ^ values[0] for k in range(bits)]
    made = [values[0]]
    for mask in masks:
        made += [value ^ mask for value in made]
    return masks if made == values else None
