"""Re-rolling: the copies that an unroller makes become one loop again.

Siblings with equal skeletons whose integer constants are in arithmetic progression are the iterations
`q = 0, 1, ..., n-1` of one statement list with constants `c + q * delta`. The rewriting is syntactic and exact: the
new loop, unrolled, is the old list. Without it, dataflow analysis grows with a power of the unroll factor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX, IndexType
from hecv.graph import affine
from hecv.graph.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    If,
    Load,
    Loop,
    Memory,
    Statement,
    Store,
    Touch,
    While,
    walk,
)

MAX_PERIOD = 64
MAX_CANDIDATES = 4
MAX_HOLES = 4096
MAX_HEIGHT = 400


@dataclass(frozen=True, slots=True)
class Shape:
    """A term or statement without its index constants: equal `skeleton` numbers mean equal up to `holes`.

    `forms` has for each hole the number of the linear form around it, None where there is only the constant. What is
    too large (`fits` is false) has a skeleton of its own.

    `memories` are the memories named, in order of appearance; they are compared apart, because copies of a statement
    list may allocate memories of their own.
    """

    skeleton: int
    holes: tuple[int, ...]
    forms: tuple[int | None, ...]
    memories: tuple[int, ...]
    height: int = 0
    fits: bool = True


class Skeletons:
    """Numbers shapes; equal structure gets equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._terms: dict[int, Shape] = {}

    def _number(self, *key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def term(self, root: Term) -> Shape:
        """The shape of a term; every index constant is a hole, as is the constant 0 that `i` has in `i + 0`."""
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [a for a in _children(node) if a.id not in self._terms]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if node.id not in self._terms:
                self._terms[node.id] = self._term(node)
        return self._terms[root.id]

    def _term(self, node: Term) -> Shape:
        if isinstance(node.type, IndexType):
            form = affine.linear(node)
            atoms = tuple((self._atom(t), c) for t, c in form.terms)
            number = self._number("linear", *((s.skeleton, c) for s, c in atoms))
            shape = self._join(number, [s for s, _ in atoms])
            if not shape.fits:
                return shape
            holes, forms = (form.constant, *shape.holes), (number if atoms else None, *shape.forms)
            return Shape(number, holes, forms, shape.memories, shape.height)
        return self._atom(node)

    def _atom(self, node: Term) -> Shape:
        parts = [self._terms[a.id] for a in node.args]
        inner = [p.skeleton for p in parts]
        if node.op == "load":
            number = self._number("load", node.type, *inner)
            return self._join(number, parts, _memory_of(node))
        return self._join(self._number(node.op, node.attrs, node.type, *inner), parts)

    def _join(self, number: int, parts: list[Shape], *memories: int) -> Shape:
        height = 1 + max((p.height for p in parts), default=0)
        size = sum(len(p.holes) + len(p.memories) for p in parts)
        if size > MAX_HOLES or height > MAX_HEIGHT or not all(p.fits for p in parts):
            return Shape(self._number("large", len(self._numbers)), (), (), (), height, False)
        holes = tuple(h for p in parts for h in p.holes)
        forms = tuple(f for p in parts for f in p.forms)
        return Shape(number, holes, forms, (*memories, *(m for p in parts for m in p.memories)), height)

    def statement(self, statement: Statement) -> Shape:
        """The shape of a statement with all that it encloses."""
        match statement:
            case Store(memory=memory):
                parts = [self.term(t) for t in (*statement.indices, statement.value)]
                number = self._number("store", statement.guarded, *(p.skeleton for p in parts))
                return self._join(number, parts, memory.id)
            case Touch():
                parts = [self.term(t) for t in (*statement.accesses, *statement.terms)]
                number = self._number("touch", statement.guarded, len(statement.accesses), *(p.skeleton for p in parts))
                return self._join(number, parts)
            case Alloc(memory=memory):
                parts = [self.term(t) for t in memory.extents]
                number = self._number("alloc", memory.kind, memory.element, *(p.skeleton for p in parts))
                return self._join(number, parts, memory.id)
            case Dealloc(memory=memory):
                return Shape(self._number("dealloc"), (), (), (memory.id,))
            case Loop():
                parts = [self.term(t) for t in (*statement.lowers, *statement.uppers)]
                parts += [self.statement(s) for s in statement.body]
                kind = (statement.iv.type, statement.unsigned, statement.parallel, statement.fits)
                head = (len(statement.lowers), len(statement.uppers), statement.step.id)
                number = self._number("loop", *kind, *head, *(p.skeleton for p in parts))
                return self._join(number, parts)
            case If():
                parts = [self.term(t) for t in (statement.condition, *statement.exact)]
                parts += [self.statement(s) for s in (*statement.then, *statement.otherwise)]
                head = (statement.guarded, len(statement.exact), len(statement.then))
                number = self._number("if", *head, *(p.skeleton for p in parts))
                return self._join(number, parts)
            case Assert():
                parts = [self.term(t) for t in (statement.condition, *statement.exact)]
                return self._join(self._number("assert", statement.text, *(p.skeleton for p in parts)), parts)
            case Load() | Evaluate() | Call() | While():
                return Shape(self._number("unique", statement.id), (), (), ())


def _children(node: Term) -> tuple[Term, ...]:
    """The terms whose shape that of `node` is made of: a `linear` is seen through, down to the atoms' operands."""
    if isinstance(node.type, IndexType):
        return tuple(a for atom, _ in affine.linear(node).terms for a in atom.args)
    return node.args


def _memory_of(load: Term) -> int:
    memory = load.attr("memory")
    assert isinstance(memory, int)
    return memory


@dataclass(frozen=True, slots=True)
class Progression:
    """`count` copies of the `period` statements from `start`, with the step of each hole from copy to copy."""

    start: int
    period: int
    count: int
    deltas: tuple[tuple[int, ...], ...]


class Reroller:
    """Re-rolls the blocks of one function."""

    def __init__(self, pool: TermPool, body: Block) -> None:
        self._pool = pool
        self._skeletons = Skeletons()
        self._next = 1 + max((s.id for s in walk(body)), default=0)
        self.rolled = 0

    def block(self, block: Block, depth: int = 0) -> Block:
        """The block with copies rolled into loops, inner blocks first, until nothing changes."""
        statements = [self._inner(s, depth) for s in block]
        while True:
            rolled = self._pass(statements, depth)
            if len(rolled) == len(statements):
                return tuple(rolled)
            statements = rolled

    def _inner(self, statement: Statement, depth: int) -> Statement:
        match statement:
            case Loop():
                return replace(statement, body=self.block(statement.body, depth + 1))
            case If():
                then, otherwise = self.block(statement.then, depth), self.block(statement.otherwise, depth)
                return replace(statement, then=then, otherwise=otherwise)
            case _:
                return statement

    def _pass(self, statements: list[Statement], depth: int) -> list[Statement]:
        shapes = [self._skeletons.statement(s) for s in statements]
        places: dict[int, list[int]] = {}
        for place, shape in enumerate(shapes):
            places.setdefault(shape.skeleton, []).append(place)
        out: list[Statement] = []
        at = 0
        while at < len(statements):
            found = _best(statements, shapes, at, places)
            if found is None or (found.count == 2 and _better_next(statements, shapes, at, places, found)):
                out.append(statements[at])
                at += 1
            else:
                out.append(self._loop(statements, found, depth))
                at += found.period * found.count
        return out

    def _loop(self, statements: list[Statement], found: Progression, depth: int) -> Loop:
        iv = self._pool.induction(depth, INDEX)
        body: list[Statement] = []
        for offset, deltas in enumerate(found.deltas):
            writer = Writer(self._pool, self._skeletons, depth, deltas)
            body.append(writer.statement(statements[found.start + offset]))
        self._next += 1
        self.rolled += found.count
        zero, one, count = self._pool.integer(0), self._pool.integer(1), self._pool.integer(found.count)
        return Loop(self._next - 1, iv, (zero,), (count,), one, False, tuple(body))


def _periods(places: list[int], at: int) -> list[int]:
    """The first few distances to a later statement of the same skeleton."""
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if places[middle] <= at else (low, middle)
    later = places[low : low + MAX_CANDIDATES]
    return [p - at for p in later if p - at <= MAX_PERIOD]


def _better_next(
    statements: list[Statement],
    shapes: list[Shape],
    at: int,
    places: dict[int, list[int]],
    found: Progression,
) -> bool:
    """Whether a longer progression begins one statement later: any two copies of equal skeleton are a progression,
    also an odd one out and the copy after it."""
    later = _best(statements, shapes, at + 1, places)
    return later is not None and later.count > 2 and later.count * later.period > found.count * found.period


def _best(
    statements: list[Statement], shapes: list[Shape], at: int, places: dict[int, list[int]]
) -> Progression | None:
    best: Progression | None = None
    for period in _periods(places[shapes[at].skeleton], at):
        found = _progression(statements, shapes, at, period)
        if found and (best is None or found.count * found.period > best.count * best.period):
            best = found
    return best


def _progression(statements: list[Statement], shapes: list[Shape], at: int, period: int) -> Progression | None:
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
    if count < 2 or (count == 2 and not _coherent(first, deltas)) or not _confined(statements, at, period, count):
        return None
    return Progression(at, period, count, deltas)


def _coherent(shapes: list[Shape], deltas: tuple[tuple[int, ...], ...]) -> bool:
    """Whether constants of one linear form move alike, as the copies of an unrolled loop do.

    Any two copies are an arithmetic progression, also `A[i] + A[i-1]` and, one operand pair exchanged, `A[i] + A[i+1]`;
    rolling these is sound and hides what they have in common with the other program.
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
    """Whether the copy names the same memories, those that each allocates itself standing for each other."""
    renamed = dict(zip(own, other, strict=True)) if len(own) == len(other) else {}
    return all(
        renamed.get(m, m) == n
        for a, b in zip(first, copy, strict=True)
        for m, n in zip(a.memories, b.memories, strict=True)
    )


def _confined(statements: list[Statement], at: int, period: int, count: int) -> bool:
    """Whether memories allocated in the copies are not named outside the copy that allocates them.

    A memory that outlives its copy (allocated in the last copy, read after the loop) must keep its name.
    """
    own = _allocated(statements[at : at + period * count])
    if not own:
        return True
    end = at + period * count
    inside = set(own)
    if any(m in inside for s in (*statements[:at], *statements[end:]) for m in _named(s)):
        return False
    for k in range(count):
        copy = statements[at + k * period : at + (k + 1) * period]
        local = set(_allocated(copy))
        if any(m in inside and m not in local for s in copy for m in _named(s)):
            return False
    return True


def _named(statement: Statement) -> Iterator[int]:
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
                yield _memory_of(term)
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


class Writer:
    """Rewrites a statement into the body of a new loop at `depth`: inner induction variables move one level down and
    each hole's constant becomes `constant + delta * q`. Holes are met in the order in which `Skeletons` lists them."""

    def __init__(self, pool: TermPool, skeletons: Skeletons, depth: int, deltas: tuple[int, ...]) -> None:
        self._pool = pool
        self._skeletons = skeletons
        self._depth = depth
        self._iv = pool.induction(depth, INDEX)
        self._deltas = deltas
        self._at = 0
        self._memo: dict[tuple[int, tuple[int, ...]], Term] = {}

    def term(self, node: Term) -> Term:
        """The rewritten term; takes as many deltas as the term has holes."""
        count = len(self._skeletons.term(node).holes)
        key = (node.id, self._deltas[self._at : self._at + count])
        known = self._memo.get(key)
        if known is not None:
            self._at += count
            return known
        self._memo[key] = term = self._term(node)
        return term

    def _term(self, node: Term) -> Term:
        if not isinstance(node.type, IndexType):
            return self._atom(node)
        form = affine.linear(node)
        delta = self._deltas[self._at]
        self._at += 1
        parts = [(self._iv, delta), *((self._atom(atom), c) for atom, c in form.terms)]
        return affine.combine(self._pool, form.constant, tuple(parts))

    def _atom(self, node: Term) -> Term:
        if node.op == "iv":
            depth = node.attr("depth")
            assert isinstance(depth, int)
            return node if depth < self._depth else self._pool.induction(depth + 1, node.type)
        if not node.args:
            return node
        args = tuple(self.term(a) for a in node.args)
        if node.op == "affine.floordiv":
            divisor = node.attr("divisor")
            assert isinstance(divisor, int)
            return affine.floordiv(self._pool, args[0], self._pool.integer(divisor))
        return self._pool.make(node.op, args, node.type, node.attrs)

    def _terms(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(self.term(t) for t in terms)

    def _memory(self, memory: Memory) -> Memory:
        return Memory(memory.id, memory.kind, memory.name, memory.element, self._terms(memory.extents))

    def statement(self, statement: Statement) -> Statement:
        """The rewritten statement."""
        match statement:
            case Store(memory=memory):
                indices = self._terms(statement.indices)
                return Store(statement.id, memory, indices, self.term(statement.value), statement.guarded)
            case Touch():
                accesses = self._terms(statement.accesses)
                return Touch(statement.id, accesses, self._terms(statement.terms), statement.guarded)
            case Alloc(memory=memory):
                return Alloc(statement.id, self._memory(memory))
            case Assert():
                condition, exact = self.term(statement.condition), self._terms(statement.exact)
                return Assert(statement.id, condition, statement.text, exact)
            case Loop():
                lowers = self._terms(statement.lowers)
                uppers = self._terms(statement.uppers)
                iv = self._atom(statement.iv)
                body = tuple(self.statement(s) for s in statement.body)
                return replace(statement, iv=iv, lowers=lowers, uppers=uppers, body=body)
            case If():
                condition, exact = self.term(statement.condition), self._terms(statement.exact)
                then = tuple(self.statement(s) for s in statement.then)
                otherwise = tuple(self.statement(s) for s in statement.otherwise)
                return If(statement.id, condition, then, otherwise, exact, statement.guarded)
            case _:
                return statement


def reroll(pool: TermPool, body: Block) -> Block:
    """The body with copied statements rolled into loops.

    Requires: the normal form of `hecv.graph.memory` (no `Load`, no `Evaluate`).
    Ensures: the same sequence of accesses and stores.
    """
    return Reroller(pool, body).block(body)
