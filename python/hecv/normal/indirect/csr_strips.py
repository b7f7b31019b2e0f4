"""Joins sparse row (CSR) loops that were strip-mined, unrolled with a remainder loop, or peeled.

The bounds of such a loop are read from memory (`hecv.normal.indirect.csr_loops`). If what runs between two reads does
not write what they read, the reads are fixed numbers, and the tests of `hecv.normal.loops.strip_joining` apply:

- `for t = a to b step T: for i = t to min(t + T, b): B(i)` is `for i = a to b: B(i)`.
- `for i = a to m: B(i)`, `for i = m to b: B(i)` is `for i = a to b: B(i)` if `a <= b` implies `a <= m <= b`, and
  `b <= a` implies `b <= m <= a`: nothing runs then. Whatever `m` reads, `a` or `b` reads too, so no read is dropped
  that may be undefined or poison.
- `if (a < b) B(a)`, `for i = a + 1 to b: B(i)` is `for i = a to b: B(i)`.
- `for i: X(i)`, `for i: Y(i)` is `for i: X(i), Y(i)` if `X` only evaluates terms that read nothing `Y` writes: unrolled
  copies leave what they evaluate apart from what they store.

A bound that is poison is undefined behaviour, as a branch on it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import INDEX
from hecv.normal.indirect.csr_loops import LIMIT, read_by, written
from hecv.normal.loops.strip_joining import joined_strips, outwards
from hecv.program.index import quasi_affine
from hecv.program.index.index_conditions import conjuncts
from hecv.program.index.index_ranges import NOTHING
from hecv.program.structural_equality import anonymous
from hecv.program.term_substitution import recounted
from hecv.program.tree import Assert, Block, Call, If, Loop, Statement, Touch, While, walk


def join_csr_strips(pool: TermPool, overlapping: frozenset[int], block: Block) -> Block:
    """Joins loops over parts of sparse rows into loops over rows. Memories that are `overlapping` may be one.

    Requires: a normal form; index arithmetic in bounds does not overflow.
    Ensures: the same accesses and stores in the same order, undefined on the same inputs.
    """
    return _CsrStripJoiner(pool, overlapping).block(block, 0)


class _CsrStripJoiner:
    def __init__(self, pool: TermPool, overlapping: frozenset[int]) -> None:
        self._pool = pool
        self._overlapping = overlapping
        self._read: dict[Term, Term] = {}
        """The load for which each number stands."""

    def block(self, block: Block, depth: int) -> Block:
        """The block, which `depth` loops enclose."""
        out: list[Statement] = []
        for statement in block:
            made = self._statement(statement, depth)
            whole = self._continued(out[-1], made, depth) if out else None
            if whole is None:
                out.append(made)
            else:
                out[-1] = whole
        return tuple(out)

    def _statement(self, statement: Statement, depth: int) -> Statement:
        match statement:
            case Loop():
                loop = replace(statement, body=self.block(statement.body, depth + 1))
                return self._strips(loop, depth) or loop
            case If():
                then, otherwise = self.block(statement.then, depth), self.block(statement.otherwise, depth)
                return replace(statement, then=then, otherwise=otherwise)
            case While():
                before, after = self.block(statement.before, depth), self.block(statement.after, depth)
                return replace(statement, before=before, after=after)
            case _:
                return statement

    def _strips(self, outer: Loop, depth: int) -> Loop | None:
        """The loop over all strips of a row at once; None if the loop is no loop over strips."""
        if len(outer.body) != 1 or not isinstance(inner := outer.body[0], Loop):
            return None
        if not read_by(_bounds(outer)) or not self._are_fixed((*_bounds(outer), *_bounds(inner)), inner.body):
            return None
        if not _loads(_bounds(inner)) <= _loads(_bounds(outer)):
            return None
        named = replace(self._named(outer), body=(self._named(inner),))
        joined = joined_strips(self._pool, named, NOTHING, NOTHING, depth)
        if joined is None:
            return None
        # If a strip counts from 0, its positions are those of the row less the start of the row.
        body = recounted(self._pool, joined.body, lambda number: self._read.get(number, number), (LIMIT,))
        return replace(joined, lowers=outer.lowers, uppers=outer.uppers, body=body)

    def _continued(self, first: Statement, second: Statement, depth: int) -> Loop | None:
        """Both statements as one loop; None if they are neither neighbours in a row nor over one range."""
        if isinstance(first, Loop) and isinstance(second, Loop) and self._only_looks(first, second):
            return replace(second, body=(*first.body, *second.body))
        if not isinstance(second, Loop) or not read_by(_bounds(second)) or not _is_plain(second):
            return None
        match first:
            case Loop():
                return self._neighbours(first, second)
            case If():
                return self._peeled(first, second, depth)
            case _:
                return None

    def _only_looks(self, first: Loop, second: Loop) -> bool:
        """True if the first of two loops over one literal range only evaluates what the second does not write."""
        if replace(first, id=second.id, body=second.body) != second or not _is_plain(second):
            return False
        if not all(isinstance(t, int) for t in map(literal, _bounds(second))):
            return False
        if any(isinstance(s, Call | While) for s in walk(second.body)):
            return False
        looks: list[Term] = []
        for statement in first.body:
            match statement:
                case Touch():
                    looks += (*statement.accesses, *statement.terms)
                case Assert():
                    looks += (statement.condition, *statement.exact)
                case _:
                    return False
        return self._are_fixed(tuple(looks), second.body)

    def _neighbours(self, first: Loop, second: Loop) -> Loop | None:
        if not _is_plain(first) or first.iv is not second.iv or first.step is not second.step:
            return None
        if not self._are_fixed((*_bounds(first), *_bounds(second)), first.body):
            return None
        if not _loads(first.uppers) <= _loads((*first.lowers, *second.uppers)):
            return None
        one, two = self._named(first), self._named(second)
        if one.uppers != two.lowers or not self._is_between(one, two.uppers):
            return None
        if anonymous(first.body) != anonymous(second.body):
            return None
        return replace(first, uppers=second.uppers, fits=False)

    def _is_between(self, first: Loop, ends: tuple[Term, ...]) -> bool:
        """True if a loop ends, by whole steps, between its start and the one of `ends`, whichever of the two is
        less."""
        (start,), (middle,), step = first.lowers, first.uppers, literal(first.step)
        if len(ends) != 1 or not isinstance(step, int):
            return False
        pool, (end,) = self._pool, ends
        if not quasi_affine.is_multiple(quasi_affine.subtract(pool, middle, start), step):
            return False
        for low, high in ((start, end), (end, start)):
            facts = NOTHING.with_known(pool, quasi_affine.subtract(pool, high, low))
            if not all(
                facts.nonnegative(pool, quasi_affine.subtract(pool, *p)) for p in ((middle, low), (high, middle))
            ):
                return False
        return True

    def _peeled(self, first: If, second: Loop, depth: int) -> Loop | None:
        """The loop with the peeled iteration that stands before it under a branch; None if that is no iteration of
        it."""
        condition = first.condition
        if first.otherwise or first.exact or condition.op != "arith.cmpi" or literal(second.step) != 1:
            return None
        (low,), pool = second.lowers, self._pool
        start = quasi_affine.combine(pool, -1, ((low, 1),))
        if len(second.uppers) != 1 or not self._are_fixed((condition, *_bounds(second)), first.then):
            return None
        asked = [self._name(t) for t in conjuncts(pool, condition, True)]
        if asked != [self._name(quasi_affine.combine(pool, -1, ((second.uppers[0], 1), (start, -1))))]:
            return None
        own = recounted(pool, second.body, lambda iv: start if iv is second.iv else outwards(pool, iv, depth))
        if anonymous(own) != anonymous(first.then):
            return None
        return replace(second, lowers=(start,), fits=False)

    def _are_fixed(self, bounds: tuple[Term, ...], body: Block) -> bool:
        """True if `body` does not write what some bounds read."""
        read = read_by(bounds)
        if read & self._overlapping:
            read |= self._overlapping
        return not read & written(body)

    def _named(self, loop: Loop) -> Loop:
        """The loop with numbers in place of what its bounds read."""
        lowers, uppers = (tuple(map(self._name, terms)) for terms in (loop.lowers, loop.uppers))
        return replace(loop, lowers=lowers, uppers=uppers)

    def _name(self, bound: Term) -> Term:
        memo: dict[int, Term] = {}
        for node in postorder((bound,)):
            if node.op == "load":
                memo[node.id] = number = self._pool.make(LIMIT, (), INDEX, (("name", f"value {node.id}"),))
                self._read[number] = node
            else:
                memo[node.id] = quasi_affine.remade(self._pool, node, tuple([memo[a.id] for a in node.args]))
        return memo[bound.id]


def _is_plain(loop: Loop) -> bool:
    """True if the loop runs in order over `index`, with one bound at each end."""
    ends = len(loop.lowers) == len(loop.uppers) == 1
    return ends and loop.iv.type == INDEX and not loop.unsigned and not loop.parallel


def _bounds(loop: Loop) -> tuple[Term, ...]:
    return (*loop.lowers, *loop.uppers)


def _loads(terms: tuple[Term, ...]) -> set[Term]:
    return {t for t in postorder(terms) if t.op == "load"}


def count_csr_loops(block: Block) -> int:
    """The number of loops whose bounds read memory."""
    return sum(1 for loop in _loops(block) if read_by(_bounds(loop)))


def _loops(block: Block) -> Iterator[Loop]:
    for statement in block:
        if isinstance(statement, Loop):
            yield statement
            yield from _loops(statement.body)
