"""Loop exit normalisation by jump threading: each path through an iteration of a `While` knows where it goes.

The theorem. `while { before } condition do { after }; rest` is

    while { before; if condition { after; more := true } else { rest; more := false } } more do { }

since `rest` runs once, where the loop is left. Both sides of a branch may take in what follows it:
`if c { A } else { B }; C` is `if c { A; C } else { B; C }`. So every way through an iteration becomes a path of its
own, on which the contents of cells and the conditions branched on are known. That removes exit selectors, flags, and
values that are not set on some exits.

A cell that holds `v` before the loop, and again at the end of each iteration that another follows, holds `v` at the top
of each. If an iteration ends with a flag other than the one it began with, and the condition fails because of that, the
next and last iteration becomes part of this one.

Copied statements run as often, in the same order, as before: each path through the new program is one of the old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.recursion_limit import usual_depth
from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, FloatType, IndexType, IntType, ScalarType
from hecv.normal.memory.dead_stores import without_dead_stores
from hecv.normal.whiles.control_cells import SUMS, Steering, is_branched_on, strict_leaves
from hecv.normal.whiles.counted_loops import count_loops
from hecv.normal.whiles.loop_rotation import may_stand_twice, settled
from hecv.normal.whiles.variable_steps import stepped
from hecv.program.block_cloning import Copies, is_cell, replaced
from hecv.program.index.selector_folding import negated
from hecv.program.read_write_sets import number, written_cells
from hecv.program.term_substitution import rewrite
from hecv.program.tree import (
    Alloc,
    Block,
    Call,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    While,
    is_of_cell,
    roots,
    walk,
)

MOST_STATEMENTS: Final = 2000
"""Statements of a function with its paths apart, at most."""
MOST_ATTEMPTS: Final = 12
"""Attempts to find what cells hold at the top of each iteration."""

_NUMBERS: Final = (FloatType, IntType, IndexType)


def threaded(pool: TermPool, function: Function) -> Function | None:
    """The function with one path for each way through its whiles; None if it has no while, or too many ways.

    Requires: no `load` terms (no normal form yet).
    Ensures: the same accesses to all but cells, the same final memory, undefined on the same inputs; it ends on the
    same inputs.
    """
    if not any(isinstance(s, While) for s in walk(function.body)):
        return None
    try:
        made = _Threading(pool, function)
        with usual_depth():
            body = made.with_zeros(without_dead_stores(made.run(function.body, _Path(), None)))
    except (_TooLong, RecursionError):
        return None
    return replace(function, body=body)


def both_threaded(
    pool: TermPool, functions: tuple[Function, Function], index_width: int
) -> tuple[Function, Function] | None:
    """Both functions of a pair with one path for each way through their uncounted whiles; None if one has no while, or
    too many ways. Loops with steps that are not known are whiles too."""
    found: list[Function] = []
    for function in functions:
        made = threaded(pool, stepped(pool, replace(function, body=count_loops(pool, function, index_width))))
        if made is None:
            return None
        found.append(made)
    return found[0], found[1]


class _TooLong(Exception):
    """What would have to be copied is too long, or may not be copied, or is in normal form."""


class _Path(Struct, frozen=True):
    """What is known at a point of a path: what cells hold (`known`), the new values of loads (`given`), and conditions
    that were branched on (`facts`). Some contents of cells are still to be written (`pending`)."""

    known: dict[int, Term] = field(default_factory=dict[int, Term])
    given: dict[Term, Term] = field(default_factory=dict[Term, Term])
    facts: dict[Term, Term] = field(default_factory=dict[Term, Term])
    pending: dict[int, tuple[Memory, Term]] = field(default_factory=dict[int, tuple[Memory, Term]])

    def copy(self) -> _Path:
        """The same knowledge, to be changed independently."""
        return _Path(dict(self.known), dict(self.given), dict(self.facts), dict(self.pending))


class _Next(Struct, frozen=True):
    """What follows a block, made anew on each path. `reads` are the cells that decide where it goes."""

    run: Callable[[_Path], Block]
    reads: frozenset[int]


class _Threading:
    def __init__(self, pool: TermPool, function: Function) -> None:
        self.pool = pool
        self._function = function
        self._copies = Copies(pool, function)
        self.steering = Steering(function.body)
        self._made = 0
        self._once: set[int] = set()
        self._hoisted: list[Statement] | None = None
        self._own: dict[int, tuple[Memory, ...]] = {}

    # Blocks

    def run(self, block: Sequence[Statement], path: _Path, then: _Next | None) -> Block:
        """The block and what follows it, on a path; `path` is updated unless other paths branch off."""
        out: list[Statement] = []
        for place, statement in enumerate(block):
            rest = block[place + 1 :]
            self._count(statement)
            match statement:
                case If():
                    ends = self._branch(statement, rest, path, then, out)
                case While():
                    ends = self._while(statement, rest, path, then, out)
                case _:
                    self._plain(statement, path, out)
                    ends = False
            if ends:
                return tuple(out)
        return (*out, *(self.written(path) if then is None else then.run(path)))

    def written(self, path: _Path) -> Block:
        """The stores that are still to be done."""
        pending = sorted(path.pending.values(), key=lambda p: p[0].id)
        path.pending.clear()
        return tuple([self.store(cell, self.resolved(value, path)) for cell, value in pending])

    def spend(self) -> None:
        """Counts the statements made.

        Raises: _TooLong if there are too many.
        """
        self._made += 1
        if self._made > MOST_STATEMENTS:
            raise _TooLong

    def _count(self, statement: Statement) -> None:
        """Counts a statement.

        Raises: _TooLong if there are too many, or if one that may not be copied is.
        """
        self.spend()
        again = isinstance(statement, Loop | While | Call) or (isinstance(statement, Alloc) and not is_cell(statement))
        if again and statement.id in self._once:
            raise _TooLong
        if again:
            self._once.add(statement.id)

    def _plain(self, statement: Statement, path: _Path, out: list[Statement]) -> None:
        known, fresh = path.known, self.fresh
        match statement:
            case Load(memory=memory):
                read = self.pool.read(statement.id, memory.element)
                if memory.kind is MemoryKind.CELL and memory.id in known:
                    path.given[read] = known[memory.id]
                    return
                (made,) = rewrite((statement,), lambda t: self.value(t, path))
                out.append(replace(made, id=fresh()))
                path.given[read] = self.pool.read(out[-1].id, memory.element)
                if memory.kind is MemoryKind.CELL:
                    known[memory.id] = path.given[read]
            case Store(memory=memory):
                (made,) = rewrite((statement,), lambda t: self.value(t, path))
                assert isinstance(made, Store)
                if memory.kind is MemoryKind.CELL:
                    known[memory.id] = made.value
                    path.pending[memory.id] = memory, made.value
                else:
                    out.append(replace(made, id=fresh()))
            case Alloc(memory=memory) if is_cell(statement):
                known.pop(memory.id, None)
                path.pending.pop(memory.id, None)
                if self._hoisted is None:
                    out.append(statement)
                elif statement.id not in self._once:
                    self._once.add(statement.id)
                    self._hoisted.append(statement)
            case Loop():
                out += self.written(path)
                out.append(self._loop(statement, path))
            case _:
                out += self.written(path) if isinstance(statement, Call) else ()
                out += rewrite((statement,), lambda t: self.value(t, path))
                self._forget(path, (statement,))

    def value(self, term: Term, path: _Path) -> Term:
        """The term at this point of the path."""
        return self.resolved(replaced(self.pool, term, path.given), path)

    def resolved(self, term: Term, path: _Path) -> Term:
        """The term with conditions that were branched on as literals, also those that this brings about."""
        while True:
            found = replaced(self.pool, term, path.facts)
            if found is term:
                return found
            term = found

    def fresh(self) -> int:
        """The id of a new statement."""
        return self._copies.fresh()

    def used_outside(self, block: Sequence[Statement]) -> set[int]:
        """The loads whose values the function uses elsewhere."""
        inside = {s.id for s in walk(tuple(block))}
        terms = [t for s in walk(self._function.body) if s.id not in inside for t in roots(s)]
        return {number(t, "load") for t in postorder(tuple(terms)) if t.op == "read"}

    def _forget(self, path: _Path, block: Block) -> None:
        for cell in written_cells(block):
            path.known.pop(cell, None)

    def _loop(self, loop: Loop, path: _Path) -> Loop:
        self._forget(path, loop.body)
        (made,) = rewrite((replace(loop, body=()),), lambda t: self.value(t, path))
        outer, self._hoisted = self._hoisted, None
        body = self.run(loop.body, path.copy(), None)
        self._hoisted = outer
        assert isinstance(made, Loop)
        return replace(made, body=body)

    # Conditions

    def condition(self, term: Term, path: _Path) -> tuple[Term, list[Term]]:
        """A condition where it is evaluated, and other conditions that make it poison where they are poison."""
        return self._decided(self.value(term, path))

    def _decided(self, term: Term) -> tuple[Term, list[Term]]:
        if term.op not in ("arith.andi", "arith.ori") or term.type != BOOL:
            return term, []
        (one, first), (other, second) = map(self._decided, term.args)
        absorbing = int(term.op == "arith.ori")
        demands = [*first, *second]
        for part, opposite in ((one, other), (other, one)):
            if literal(part) == absorbing:
                return part, [*demands, *([] if literal(opposite) is not None else [opposite])]
            if literal(part) == 1 - absorbing:
                return opposite, demands
        return self.pool.make(term.op, (one, other), BOOL, term.attrs), demands

    def demanded(self, conditions: list[Term], path: _Path) -> Block:
        """Branches without effect on conditions that must not be poison."""
        proper = strict_leaves(path.facts)
        open_ = [c for c in conditions if c not in path.facts and not strict_leaves((c,), SUMS) <= proper]
        return tuple([If(self.fresh(), c, (), ()) for c in open_])

    def where(self, path: _Path, condition: Term, holds: bool) -> _Path:
        found = path.copy()
        self._note(found.facts, condition, holds)
        for cell, term in found.known.items():
            found.known[cell] = self.resolved(term, found)
        return found

    def either(self, condition: Term, then: Block, otherwise: Block) -> If:
        """A branch; on a negation, the branch on the negated condition with the sides exchanged."""
        if condition.op == "arith.xori" and literal(condition.args[1]) == 1:
            return self.either(condition.args[0], otherwise, then)
        return If(self.fresh(), condition, then, otherwise)

    def _note(self, facts: dict[Term, Term], condition: Term, holds: bool) -> None:
        """Notes a condition that was branched on, its conjuncts, and its complement. Of a literal it notes nothing: no
        run comes where the literal differs."""
        if literal(condition) is not None:
            return
        facts.update(settled(self.pool, condition, holds))
        facts[condition] = self.pool.integer(int(holds), BOOL)
        facts[negated(self.pool, condition)] = self.pool.integer(int(not holds), BOOL)
        if condition.op == ("arith.andi" if holds else "arith.ori"):
            for part in condition.args:
                self._note(facts, part, holds)

    # Branches

    def _branch(
        self, branch: If, rest: Sequence[Statement], path: _Path, then: _Next | None, out: list[Statement]
    ) -> bool:
        """Appends the branch; returns whether the rest is done too."""
        if branch.exact:
            raise _TooLong
        condition, demands = self.condition(branch.condition, path)
        out += self.demanded(demands, path)
        value = literal(condition)
        if value is not None:
            out += self.run((*(branch.then if value else branch.otherwise), *rest), path, then)
            return True
        sides = branch.then, branch.otherwise
        if self._steers(sides, rest, then):
            again = condition.op == "arith.select"
            condition = condition.args[0] if again else condition
            one, other = (
                self.run((*((branch,) if again else side), *rest), self.where(path, condition, holds), then)
                for side, holds in zip(sides, (True, False), strict=True)
            )
            out.append(self.either(condition, one, other))
            self._forget(path, (branch, *rest))
            path.pending.clear()
            return True
        out += self.written(path)
        paths = self.where(path, condition, True), self.where(path, condition, False)
        one, other = (self.run(side, p, None) for side, p in zip(sides, paths, strict=True))
        out.append(self.either(condition, one, other))
        for cell in written_cells((*branch.then, *branch.otherwise)):
            held = [p.known.get(cell) for p in paths]
            path.known.pop(cell, None)
            if held[0] is not None and held[0] is held[1]:
                path.known[cell] = held[0]
        return False

    def _steers(self, sides: tuple[Block, Block], rest: Sequence[Statement], then: _Next | None) -> bool:
        """True if a branch writes a cell that decides where its rest goes."""
        written = self.steering.decided(written_cells((*sides[0], *sides[1])))
        return bool(written) and bool(written & (self.steering.of(rest) | (then.reads if then else frozenset())))

    # Whiles

    def _while(
        self, loop: While, rest: Sequence[Statement], path: _Path, then: _Next | None, out: list[Statement]
    ) -> bool:
        out += self.written(path)
        outermost = self._hoisted is None
        hoisted = self._hoisted or []
        written = written_cells((loop,))
        held = {cell: path.known.pop(cell) for cell in written & path.known.keys()}
        begun = set(self._once)
        for _ in range(MOST_ATTEMPTS):
            self._hoisted, self._once = [], set(begun)
            turning = _Turning(self, loop, rest, then, held)
            made = turning.made(path.copy())
            if not turning.broken:
                break
            held = {cell: term for cell, term in held.items() if cell not in turning.broken}
        else:
            raise _TooLong
        hoisted += self._hoisted
        self._hoisted = hoisted
        if outermost:
            self._hoisted = None
            out += hoisted
        out.append(made)
        self._forget(path, (loop, *turning.taken))
        if not turning.goes_on:
            out += turning.resumed(path)
        return True

    def note(self, loop: While, cells: tuple[Memory, ...]) -> None:
        """Notes the cells that are written only on some ways through a loop, and read only after these."""
        self._own[loop.id] = cells

    def with_zeros(self, block: Block) -> Block:
        """The block with zeros in such cells at the top of each iteration, so that each iteration plainly writes
        them."""
        out: list[Statement] = []
        for statement in block:
            match statement:
                case While(id=loop):
                    before, after = self.with_zeros(statement.before), self.with_zeros(statement.after)
                    written = written_cells(before)
                    zeros = [self.store(c, self._zero(c)) for c in self._own.get(loop, ()) if c.id in written]
                    out.append(replace(statement, before=(*zeros, *before), after=after))
                case If():
                    then, otherwise = self.with_zeros(statement.then), self.with_zeros(statement.otherwise)
                    out.append(replace(statement, then=then, otherwise=otherwise))
                case Loop():
                    out.append(replace(statement, body=self.with_zeros(statement.body)))
                case _:
                    out.append(statement)
        return tuple(out)

    def _zero(self, cell: Memory) -> Term:
        kind = cell.element
        assert isinstance(kind, _NUMBERS)
        return self.pool.real(0.0, kind) if isinstance(kind, FloatType) else self.pool.integer(0, kind)

    def cell(self, name: str, kind: ScalarType) -> Memory:
        """A new cell, allocated before the outermost loop."""
        assert self._hoisted is not None
        made = self._copies.cell(name, kind)
        self._hoisted.append(Alloc(self.fresh(), made))
        return made

    def store(self, cell: Memory, value: Term) -> Store:
        return Store(self.fresh(), cell, (), value)

    def loaded(self, cell: Memory) -> tuple[Load, Term]:
        """A load of a cell, and its value."""
        load = Load(self.fresh(), cell, ())
        return load, self.pool.read(load.id, cell.element)


class _Turning:
    """One loop and what follows it. Its iterations are assumed to begin with the cell contents `held`; the cells for
    which that fails are `broken`."""

    def __init__(
        self,
        threading: _Threading,
        loop: While,
        rest: Sequence[Statement],
        then: _Next | None,
        held: dict[int, Term],
    ) -> None:
        self._all = threading
        self._loop = loop
        self._then = then
        self._held = held
        steering = threading.steering
        decided = steering.decided(written_cells((loop, *rest)))
        self.goes_on = then is not None and bool(decided & then.reads)
        """True if what follows the block of the loop depends on the exit, and is done on each exit."""
        count = len(rest) if self.goes_on else _ahead(rest)
        self.taken, self._rest = tuple(rest[:count]), tuple(rest[count:])
        """The statements done on each exit, and those left to be done after the loop."""
        beyond = then.reads if then is not None and self.goes_on else frozenset[int]()
        self._reads = steering.of((replace(loop, before=()), *self.taken)) | beyond
        self._results = () if self.goes_on else _results(self._rest)
        self._more = threading.cell("more", BOOL)
        self._left: dict[Term, Memory] = {}
        self._stored: list[Memory] = []
        self.broken: set[int] = set()
        if not self.goes_on:
            self._stored = [threading.cell("left", s.memory.element) for s in self._results]
            needed = threading.used_outside((loop, *self.taken, *self._results))
            self._left = {
                threading.pool.read(s.id, s.memory.element): threading.cell("left", s.memory.element)
                for s in _visible((loop, *self.taken))
                if s.id in needed
            }

    def made(self, path: _Path) -> While:
        """The loop."""
        path.known.update(self._held)
        before = self._all.run(self._loop.before, path, _Next(self._test, self._reads))
        kept = (*self._left.values(), *self._stored)
        self._all.note(self._loop, (self._more, *(c for c in kept if isinstance(c.element, _NUMBERS))))
        load, more = self._all.loaded(self._more)
        return While(self._loop.id, (*before, load), more, ())

    def _test(self, path: _Path, changed: Sequence[int] = ()) -> Block:
        """What follows `before`. If cells have `changed`, this must be the last iteration."""
        every = self._all
        condition, demands = every.condition(self._loop.condition, path)
        asked = every.demanded(demands, path)
        value = literal(condition)
        if value == 0:
            return (*asked, *self._leave(path))
        if changed:
            loose = [c for c in changed if c not in path.known or literal(path.known[c]) is None]
            self.broken.update(loose or changed)
            return ()
        if value is None and condition.op == "arith.select":
            every.spend()
            choice = condition.args[0]
            one, other = (self._test(every.where(path, choice, holds)) for holds in (True, False))
            return (*asked, every.either(choice, one, other))
        onward = _Next(self._end, self._reads)
        if value is not None:
            return (*asked, *every.run(self._loop.after, path, onward))
        inner, outer = every.where(path, condition, True), every.where(path, condition, False)
        then = every.run(self._loop.after, inner, onward)
        return (*asked, every.either(condition, then, self._leave(outer)))

    def _end(self, path: _Path) -> Block:
        """What follows `after`: another iteration or, if a flag has changed, at once what the last iteration does."""
        every = self._all
        changed = [c for c, term in self._held.items() if path.known.get(c) is not term]
        if not changed:
            return (*every.written(path), every.store(self._more, every.pool.integer(1, BOOL)))
        for cell in changed:
            flag = self._flag(cell, path)
            if flag is not None:
                then, otherwise = (self._end(every.where(path, flag, holds)) for holds in (True, False))
                return (every.either(flag, then, otherwise),)
        if not any(c in path.known and literal(path.known[c]) is not None for c in changed):
            self.broken.update(changed)
            return ()
        return every.run(self._loop.before, path, _Next(lambda p: self._test(p, changed), self._reads))

    def _flag(self, cell: int, path: _Path) -> Term | None:
        """The condition on which a cell that held a literal depends, if the next iteration branches on the cell."""
        value = path.known.get(cell)
        if value is None or literal(self._held[cell]) is None or not is_branched_on(self._loop, cell):
            return None
        if value.op == "arith.select" and all(literal(v) is not None for v in value.args[1:]):
            return value.args[0]
        return value if value.type == BOOL and literal(value) is None else None

    def _leave(self, path: _Path) -> Block:
        """What follows if there is no other iteration."""
        every = self._all
        ended = every.store(self._more, every.pool.integer(0, BOOL))
        if self.goes_on:
            return (ended, *every.run(self.taken, path, self._then))
        return every.run(self.taken, path, _Next(lambda p: (*self._kept(p), *every.written(p), ended), frozenset()))

    def _kept(self, path: _Path) -> Block:
        """Stores of what is needed after the loop."""
        every = self._all
        stored = zip(self._stored, self._results, strict=True)
        return (
            *(every.store(cell, every.value(read, path)) for read, cell in self._left.items()),
            *(every.store(cell, every.value(s.value, path)) for cell, s in stored),
        )

    def resumed(self, path: _Path) -> Block:
        """What is left to be done after the loop."""
        every, out = self._all, list[Statement]()
        for read, cell in self._left.items():
            load, path.given[read] = every.loaded(cell)
            out.append(load)
        for statement, cell in zip(self._results, self._stored, strict=True):
            load, value = every.loaded(cell)
            out += (load, replace(statement, id=every.fresh(), value=value))
        return (*out, *every.run(self._rest[len(self._results) :], path, self._then))


def _ahead(rest: Sequence[Statement]) -> int:
    """The number of statements after a loop that are done on each exit: accesses of cells, and short branches."""
    taken = 0
    for place, statement in enumerate(rest):
        short = isinstance(statement, If) and may_stand_twice((statement,))
        if not short and not (isinstance(statement, Load | Store | Alloc) and is_of_cell(statement)):
            break
        taken = place + 1
    return taken


def _results(rest: Sequence[Statement]) -> tuple[Store, ...]:
    """The stores of results that come first."""
    found: list[Store] = []
    for statement in rest:
        if not isinstance(statement, Store) or statement.memory.kind is not MemoryKind.RESULT or statement.indices:
            break
        found.append(statement)
    return tuple(found)


def _visible(block: Sequence[Statement]) -> Iterator[Load]:
    """The loads of a block whose values may be used after it."""
    for statement in block:
        if isinstance(statement, Load):
            yield statement
        elif isinstance(statement, While):
            yield from _visible(statement.before)
