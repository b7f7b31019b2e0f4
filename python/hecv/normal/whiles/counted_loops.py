"""Counted loops: a `While` whose condition compares a counter with a bound becomes a `Loop`.

The theorem. Let a `While` run `before`, leave where `condition` fails, and run `after`. Let a cell hold `t` where an
iteration begins and `t + s` where it ends, with a literal `s > 0`, and let the condition be `t < u` for a `u` that the
loop does not change. Let the cell hold `l` before the loop. Then the loop runs `n = max(0, ceil((u - l) / s))`
iterations, and is

    for t = l to u step s { before; after }; before

If `after` only writes cells that nothing reads afterwards, it is also

    for t = l to max(u + s, l + 1) step s { before; after }.

A counter that falls is `-t`. Over `index` both hold as long as index arithmetic in bounds does not overflow, which is
assumed and printed. Over `iN` a loop is only taken if it is plain that `t + s` never wraps, or as a loop over `index`
(`hecv.normal.whiles.iv_widening`). The conditions under which the loop ends without an overflow of its counter are
asserted before it.

A branch of `before` on the loop's own condition belongs to one of two paths: what it does where the condition holds
comes first in `after`, and what it does where the condition fails comes after the loop.

Store-to-load forwarding of integer cells comes along, so that selectors and copies of counters that lowerings make are
seen through; around a `While` that stays, of float cells too.
"""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import INDEX, FloatType
from hecv.normal.whiles.counter_detection import Counters, Known
from hecv.normal.whiles.iv_widening import signed_loop
from hecv.normal.whiles.loop_rotation import Turn, may_be_copied, settled, turn_of, without_branch
from hecv.normal.whiles.while_counter import Counter, Follower
from hecv.ops import facts_about
from hecv.program.block_cloning import Copies, Replacement, replaced
from hecv.program.index import quasi_affine
from hecv.program.index.selector_folding import fold
from hecv.program.read_write_sets import Reads, is_total, loads, number, without_dead_cells, written_cells
from hecv.program.term_substitution import rename, rewrite
from hecv.program.tree import (
    Alloc,
    Assert,
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
    walk,
)


def count_loops(pool: TermPool, function: Function, index_width: int = 32) -> Block:
    """The body of `function` with counted loops as signed `Loop`s, and with loads of integer cells forwarded. `index`
    has at least `index_width` bits.

    Requires: index arithmetic in bounds does not overflow. No `load` terms (no normal form yet).
    Ensures: the same accesses, the same final memory, undefined on the same inputs.
    """
    cells = [s.memory for s in walk(function.body) if isinstance(s, Alloc) and s.memory.kind is MemoryKind.CELL]
    if all(isinstance(cell.element, FloatType) for cell in cells) and not any(
        isinstance(s, While) or (isinstance(s, Loop) and s.unsigned) for s in walk(function.body)
    ):
        return function.body
    body = _Counting(pool, function, index_width).block(function.body, {}, 0)
    sized = {s.memory.id: s.memory for s in walk(body) if isinstance(s, Alloc) and s.memory.extents}
    return without_dead_cells(rename(body, sized))


class _Counting:
    def __init__(self, pool: TermPool, function: Function, index_width: int) -> None:
        self._pool = pool
        self._width = index_width
        self._reads = Reads()
        self._counters = Counters(pool, self._reads, index_width)
        self._memo: dict[int, Term] = {}
        self._loaded: dict[int, Term] = {}
        self._choosing: set[Term] = set()
        self._copies = Copies(pool, function)
        self._sees_floats = any(isinstance(s, While) for s in walk(function.body))
        self._uses: dict[int, set[int]] = {}
        for statement in walk(function.body):
            if isinstance(statement, Load):
                self._uses.setdefault(statement.memory.id, set()).add(statement.id)
        every = (s for s in walk(function.body) if isinstance(s, Load))
        self._of_cells = {s.id for s in every if s.memory.kind is MemoryKind.CELL}

    # Terms

    def _value(self, term: Term) -> Term:
        """`term` with forwarded loads replaced, folded."""
        for node in postorder((term,)) if term.id not in self._memo else ():
            if node.id not in self._memo:
                args = tuple([self._memo[a.id] for a in node.args])
                self._memo[node.id] = self._node(node, args)
        return self._memo[term.id]

    def _node(self, node: Term, args: tuple[Term, ...]) -> Term:
        if node.op == "read":
            return self._loaded.get(number(node, "load"), node)
        return fold(self._pool, node if args == node.args else self._pool.make(node.op, args, node.type, node.attrs))

    def _assumed(self, known: Known, condition: Term, holds: bool) -> Known:
        """What cells hold where the condition is known."""
        given = settled(self._pool, condition, holds)
        return {cell: replaced(self._pool, term, given) for cell, term in known.items()}

    # Blocks

    def block(self, block: Block, known: Known, depth: int) -> Block:
        """The block, which `depth` loops enclose. `known` is what cells hold; it is updated."""
        out: list[Statement] = []
        for statement in block:
            self._statement(statement, known, depth, out)
        return tuple(out)

    def _statement(self, statement: Statement, known: Known, depth: int, out: list[Statement]) -> None:
        match statement:
            case Load(memory=memory) if self._is_seen_through(memory):
                self._load(statement, known)
                out.append(statement)
            case Store(memory=memory) if self._is_seen_through(memory):
                value = self._value(statement.value)
                known.pop(memory.id, None)
                if self._reads.is_total(value) or self._is_computed(value):
                    known[memory.id] = value
                out.append(replace(statement, value=value))
            case Alloc(memory=memory) if memory.kind is MemoryKind.CELL:
                known.pop(memory.id, None)
                out.append(statement)
            case Call():
                for cell in statement.results:
                    known.pop(cell.id, None)
                out.extend(rewrite((statement,), self._value))
            case Loop():
                signed = signed_loop(self._pool, statement, self._width) if statement.unsigned else None
                demands, loop = signed or ((), statement)
                out += self._demanded(demands)
                out.append(self._loop(loop, known, depth))
            case If():
                out.append(self._branch(statement, known, depth))
            case While():
                out.extend(self._while(statement, known, depth))
            case _:
                out.extend(rewrite((statement,), self._value))

    def _is_seen_through(self, memory: Memory) -> bool:
        """True if the memory is a cell whose loads are forwarded: of an integer or, where there are whiles, of any
        type."""
        return memory.kind is MemoryKind.CELL and (self._sees_floats or not isinstance(memory.element, FloatType))

    def _is_computed(self, value: Term) -> bool:
        """True if a value consists of total ops and divisions over arguments, literals and contents of cells.

        Statements before the store evaluate the divisions, so they are defined wherever the cell holds the value.
        """
        nodes = postorder((value,))
        if any(facts_about(t.op).division is None and not is_total(t.op) for t in nodes):
            return False
        return all(number(t, "load") in self._of_cells for t in nodes if t.op == "read")

    def _load(self, load: Load, known: Known) -> None:
        """Notes that a load is what its cell is known to hold; if nothing is known, the cell holds the load's value
        from here on."""
        held = known.get(load.memory.id)
        if held is None:
            known[load.memory.id] = self._pool.read(load.id, load.memory.element)
        else:
            self._loaded[load.id] = held

    def _loop(self, loop: Loop, known: Known, depth: int) -> Loop:
        lowers, uppers = (tuple([self._value(t) for t in terms]) for terms in (loop.lowers, loop.uppers))
        self._forget(known, loop.body)
        body = self.block(loop.body, dict(known), depth + 1)
        return replace(loop, lowers=lowers, uppers=uppers, step=self._value(loop.step), body=body)

    def _forget(self, known: Known, *blocks: Block) -> None:
        for cell in written_cells(tuple(s for b in blocks for s in b)):
            known.pop(cell, None)

    def _branch(self, branch: If, known: Known, depth: int) -> If:
        condition = self._value(branch.condition)
        sides = [self._assumed(known, condition, holds) for holds in (True, False)]
        then, otherwise = (self.block(b, k, depth) for b, k in zip((branch.then, branch.otherwise), sides, strict=True))
        if condition in self._choosing:
            then, otherwise = (self._chosen(b, condition, h) for b, h in ((then, True), (otherwise, False)))
        inner = loads(then) | loads(otherwise)
        for cell in written_cells((*then, *otherwise)):
            known.pop(cell, None)
            one, other = (side.get(cell) for side in sides)
            if one is None or other is None or (self._reads.of(one) | self._reads.of(other)) & inner:
                continue
            if one is other or (self._reads.is_total(one) and self._reads.is_total(other)):
                known[cell] = one if one is other else self._either(condition, one, other)
        return replace(branch, condition=condition, then=then, otherwise=otherwise)

    def _chosen(self, block: Block, condition: Term, holds: bool) -> Block:
        """The block where the condition is known: a select on it is one of its arms."""

        def known(term: Term) -> Term | None:
            if term.op != "arith.select" or term.args[0] is not condition:
                return None
            return change(term.args[1 if holds else 2])

        change = Replacement(self._pool, known)
        return rewrite(block, change)

    def _either(self, condition: Term, then: Term, otherwise: Term) -> Term:
        self._choosing.add(condition)
        return fold(self._pool, self._pool.make("arith.select", (condition, then, otherwise), then.type))

    def _demanded(self, demands: tuple[Term, ...]) -> Block:
        """Assertions that a loop ends, and that its counter does not overflow."""
        text = "the loop does not end, or its counter overflows"
        return tuple([Assert(self._copies.fresh(), self._value(condition), text) for condition in demands])

    # While loops

    def _while(self, loop: While, known: Known, depth: int) -> Block:
        written = written_cells((*loop.before, *loop.after))
        first = {cell: term for cell, term in known.items() if cell in written}
        self._forget(known, loop.before, loop.after)
        inside = dict(known)
        carried = written & (first.keys() | _read_first(loop.before))
        enter = self._entered(carried - first.keys(), first)
        tops, heads = self._tops(loop, carried, inside)
        before = (*heads, *self.block(loop.before, inside, depth))
        condition = self._value(loop.condition)
        ended = self._assumed(inside, condition, True)
        after = self.block(loop.after, ended, depth)
        turn = turn_of(self._pool, before, condition, after)
        inner = loads((*before, *after))
        found = self._counters.find(turn.condition, tops, first, ended, inner)
        if found is not None and not (found[0].demands and any(isinstance(s, Call) for s in walk((loop,)))):
            counter, followers = found
            if may_be_copied((*turn.before, *turn.always)):
                enter += self._demanded(counter.demands)
                return (*enter, *self._before_and_after(loop, turn, counter, followers, known, depth))
            if self._is_forgotten(loop, after) and counter.kind == INDEX:
                enter += self._demanded(counter.demands)
                body = (*before, *after)
                left = self._assumed(inside, condition, False)
                return (*enter, *self._to_the_end(loop, body, counter, followers, left, inner, known, depth))
        if turn.branches:
            apart = without_branch(self._pool, self._copies, loop, turn)
            if apart is not None:
                whole, rest = apart
                return (*whole, *self.block(rest, known, depth))
        return (replace(loop, before=before, condition=condition, after=after),)

    def _entered(self, cells: frozenset[int], first: Known) -> Block:
        """Loads, before a loop, of cells about which nothing is known; `first` is updated."""
        found: list[Load] = []
        for cell in sorted(cells):
            memory = self._copies.cells[cell]
            if self._is_seen_through(memory):
                found.append(Load(self._copies.fresh(), memory, ()))
                first[cell] = self._pool.read(found[-1].id, memory.element)
        return tuple(found)

    def _tops(self, loop: While, carried: frozenset[int], inside: Known) -> tuple[dict[int, Term], list[Load]]:
        """A load at the top of an iteration for each cell that the loop carries and reads."""
        read = {s.memory.id for s in walk((*loop.before, *loop.after)) if isinstance(s, Load)}
        tops: dict[int, Term] = {}
        heads: list[Load] = []
        for cell in sorted(carried & read):
            memory = self._copies.cells[cell]
            if self._is_seen_through(memory):
                heads.append(Load(self._copies.fresh(), memory, ()))
                self._of_cells.add(heads[-1].id)
                tops[cell] = inside[cell] = self._pool.read(heads[-1].id, memory.element)
        return tops, heads

    # What the loop becomes

    def _is_forgotten(self, loop: While, after: Block) -> bool:
        """True if `after` only writes cells that only the loop reads."""
        own = loads((*loop.before, *loop.after))
        for statement in after:
            if not isinstance(statement, Load | Store) or statement.memory.kind is not MemoryKind.CELL:
                return False
            if isinstance(statement, Store):
                elsewhere = statement.memory.id in self._copies.made or self._uses.get(statement.memory.id, set()) - own
                if elsewhere or not self._reads.is_total(statement.value):
                    return False
        return True

    def _before_and_after(
        self,
        loop: While,
        turn: Turn,
        counter: Counter,
        followers: list[Follower],
        known: Known,
        depth: int,
    ) -> Block:
        """`for { before; holds; always; after }; before; fails; always`."""
        body = (*turn.before, *turn.holds, *turn.always, *turn.after)
        holds = settled(self._pool, turn.condition, True)
        counted = self._counted(loop.id, body, counter, followers, counter.limit, depth, holds)
        known.update(self._counters.last(counter, followers))
        again = (*turn.before, *turn.fails, *turn.always)
        rest = self._copies.of(again, settled(self._pool, turn.condition, False), inner=True)
        return (counted, *self.block(rest, known, depth))

    def _to_the_end(
        self,
        loop: While,
        body: Block,
        counter: Counter,
        followers: list[Follower],
        left: Known,
        inner: frozenset[int],
        known: Known,
        depth: int,
    ) -> Block:
        """`for { before; after }` with one more iteration; `left` is what cells hold where the loop is left."""
        pool = self._pool
        least = quasi_affine.combine(pool, 1, ((counter.first, 1),))
        further = quasi_affine.combine(pool, counter.step, ((counter.limit, 1),))
        upper = quasi_affine.extremum(pool, "affine.max", (further, least))
        counted = self._counted(loop.id, body, counter, followers, upper, depth, {})
        ended = self._counters.last(counter, followers)
        tops = {counter.cell: counter.top, **{f.cell: f.top for f in followers}}
        last = {top: ended[cell] for cell, top in tops.items()}
        for cell in written_cells(loop.before) - written_cells(loop.after):
            held = replaced(self._pool, left[cell], last) if cell in left else None
            if held is not None and not self._reads.of(held) & inner:
                known[cell] = held
        return (counted,)

    def _counted(
        self,
        statement: int,
        body: Block,
        counter: Counter,
        followers: list[Follower],
        upper: Term,
        depth: int,
        settled: dict[Term, Term],
    ) -> Loop:
        """The loop, with its induction variable for the counter in the body, and with the terms `settled` replaced by
        their values."""
        pool = self._pool
        kind = counter.kind
        iv = pool.induction(depth, kind)
        given = {**settled, counter.top: self._counters.at(counter, iv)}
        if followers:
            turns = quasi_affine.floordiv(
                pool, quasi_affine.subtract(pool, iv, counter.first), pool.integer(counter.step)
            )
            given |= {other.top: self._counters.after(other, turns) for other in followers}
        inner = rewrite(body, _inside(pool, depth, given))
        return Loop(statement, iv, (counter.first,), (upper,), pool.integer(counter.step, kind), False, inner)


def _read_first(block: Block) -> frozenset[int]:
    """The memories that a block reads before it does anything else: their contents were written before the block."""
    found: set[int] = set()
    for statement in block:
        if not isinstance(statement, Load):
            break
        found.add(statement.memory.id)
    return frozenset(found)


def _inside(pool: TermPool, depth: int, given: dict[Term, Term]) -> Replacement:
    """Rewrites terms for a place inside one more loop at `depth`: inner induction variables move one level down, and
    the terms `given` are replaced."""

    def replacement(term: Term) -> Term | None:
        if term.op == "iv" and number(term, "depth") >= depth:
            return pool.induction(number(term, "depth") + 1, term.type)
        return given.get(term)

    return Replacement(pool, replacement)
