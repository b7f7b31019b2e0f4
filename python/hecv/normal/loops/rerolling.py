"""Re-rolling: the copies that an unroller made become one loop again.

    store x, A[0]; store x, A[2]; store x, A[4]   =>   for q = 0 to 3 { store x, A[2*q] }

Siblings with equal skeletons whose integer constants are in arithmetic progression are the iterations
`q = 0, 1, ..., n-1` of one statement list with constants `c + q * delta`. The rewriting is syntactic and exact: the new
loop, unrolled, is the old list. Without it the cost of dataflow analysis grows with a power of the unroll factor.
"""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX, IndexType
from hecv.normal.loops.accumulator_chains import Accumulators, Numbers
from hecv.normal.loops.unrolled_copies import Progression, best, better_next
from hecv.program.index import quasi_affine
from hecv.program.skeletons import Skeletons
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Function,
    If,
    Loop,
    Memory,
    Statement,
    Store,
    Touch,
)


class Reroller:
    """Re-rolls the blocks of one function."""

    def __init__(self, pool: TermPool, function: Function, body: Block) -> None:
        self._pool = pool
        self._skeletons = Skeletons()
        self._numbers = Numbers.free_in(function, body)
        self._accumulators = Accumulators(pool, self._skeletons, self._numbers, function.overlapping)
        self.rolled = 0

    def block(self, block: Block, depth: int = 0) -> Block:
        """The block with copies rolled into loops, inner blocks first, until nothing changes."""
        statements = [made for s in block for made in self._inner(s, depth)]
        while True:
            rolled = self._pass(statements, depth)
            if len(rolled) == len(statements):
                return tuple(rolled)
            statements = rolled

    def _inner(self, statement: Statement, depth: int) -> Block:
        match statement:
            case Loop():
                return (replace(statement, body=self.block(statement.body, depth + 1)),)
            case If():
                then, otherwise = self.block(statement.then, depth), self.block(statement.otherwise, depth)
                return (replace(statement, then=then, otherwise=otherwise),)
            case Store():
                found = self._accumulators.steps(statement)
                if found is None:
                    return (statement,)
                return (*found.before, self._loop([*found.stores], found.found, depth), *found.after)
            case _:
                return (statement,)

    def _pass(self, statements: list[Statement], depth: int) -> list[Statement]:
        if len({*map(_kind, statements)}) == len(statements):  # nothing here has a copy
            return statements
        shapes = [self._skeletons.statement(s) for s in statements]
        places: dict[int, list[int]] = {}
        for place, shape in enumerate(shapes):
            places.setdefault(shape.skeleton, []).append(place)
        out: list[Statement] = []
        at = 0
        while at < len(statements):
            found = best(statements, shapes, at, places)
            if found is None or (found.count == 2 and better_next(statements, shapes, at, places, found)):
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
        self._numbers.statement += 1
        self.rolled += found.count
        zero, one, count = self._pool.integer(0), self._pool.integer(1), self._pool.integer(found.count)
        return Loop(self._numbers.statement - 1, iv, (zero,), (count,), one, False, tuple(body))


def _kind(statement: Statement) -> tuple[object, ...]:
    """A key that copies of a statement share, and that is cheap to compute."""
    match statement:
        case Store(indices=indices, value=value):
            return Store, len(indices), value.type, None if isinstance(value.type, IndexType) else value.op
        case Touch(accesses=accesses, terms=terms):
            return Touch, len(accesses), len(terms)
        case Loop(step=step, body=body):
            return Loop, step.id, len(body)
        case If(then=then, otherwise=otherwise):
            return If, len(then), len(otherwise)
        case _:
            return (type(statement),)


class Writer:
    """Rewrites a statement into the body of a new loop at `depth`: inner induction variables move one level down, and
    the constant of each hole becomes `constant + delta * q`. Holes are met in the order in which `Skeletons` lists
    them."""

    def __init__(self, pool: TermPool, skeletons: Skeletons, depth: int, deltas: tuple[int, ...]) -> None:
        self._pool = pool
        self._skeletons = skeletons
        self._depth = depth
        self._iv = pool.induction(depth, INDEX)
        self._deltas = deltas
        self._at = 0
        self._memo: dict[tuple[int, tuple[int, ...]], Term] = {}

    def term(self, node: Term) -> Term:
        """The rewritten term; it takes as many deltas as the term has holes."""
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
        form = quasi_affine.linear(node)
        delta = self._deltas[self._at]
        self._at += 1
        parts = [(self._iv, delta), *((self._atom(atom), c) for atom, c in form.terms)]
        return quasi_affine.combine(self._pool, form.constant, tuple(parts))

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
            return quasi_affine.floordiv(self._pool, args[0], self._pool.integer(divisor))
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


def reroll(pool: TermPool, function: Function, body: Block) -> Block:
    """Rolls copied statements into loops, and the steps of an accumulator too (`hecv.normal.loops.accumulator_chains`).

    Requires: the normal form of `hecv.normal.passes` (no `Load`, no `Evaluate`).
    Ensures: the same sequence of accesses and stores, except that a store of several steps becomes one store per step.
    """
    return Reroller(pool, function, body).block(body)
