"""Schedule trees: the same statement instances in one order or another.

A `Part` is a block over induction variables of its own. A schedule is a tree of loops whose leaves are copies of parts,
each with the values that the part's variables take there. Every loop theorem relates two schedules over the same parts;
`build` turns a schedule into statements.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import INDEX, IndexType, IntType, ScalarType
from hecv.program.index import quasi_affine
from hecv.program.index.exact_integers import signed
from hecv.program.tree import (
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
)

Leaf = Callable[[Term], Term | None]


class Part(Struct, frozen=True):
    """A block over induction variables of these types, numbered from the depth of its schedule; its inner loops are
    deeper."""

    block: Block
    types: tuple[ScalarType, ...]


class Copy(Struct, frozen=True):
    """One run of the part with that number, with its variables at `values`: terms over the loops around the copy."""

    part: int
    values: tuple[Term, ...]


class For(Struct, frozen=True):
    """The loop `for iv = max(lowers) to min(uppers) step step` over `body`; `id` is that of the original loop."""

    id: int
    type: ScalarType
    lowers: tuple[Term, ...]
    uppers: tuple[Term, ...]
    step: int
    body: tuple[Schedule, ...]


Schedule = Copy | For


def substitute(pool: TermPool, root: Term, leaf: Leaf, memo: dict[int, Term]) -> Term:
    """`root` with each term replaced for which `leaf` gives one, and index arithmetic in canonical form again.

    Requires: one `leaf` for one `memo`.
    """
    stack: list[Term] = [root]
    while stack:
        term = stack[-1]
        if term.id in memo:
            stack.pop()
            continue
        known = leaf(term)
        missing = [] if known is not None else [a for a in term.args if a.id not in memo]
        if missing:
            stack.extend(missing)
            continue
        memo[term.id] = (
            known if known is not None else quasi_affine.remade(pool, term, tuple(memo[a.id] for a in term.args))
        )
        stack.pop()
    return memo[root.id]


def depth_of(iv: Term) -> int:
    """The depth of an induction variable."""
    depth = iv.attr("depth")
    assert isinstance(depth, int)
    return depth


class Mover:
    """Moves a block from inside the loops `depth .. depth + len(values) - 1` to a place inside `at` loops.

    The variables of those loops take `values`, and the loops of the block itself are numbered from `at`.
    """

    def __init__(self, pool: TermPool, depth: int, values: tuple[Term, ...], at: int) -> None:
        self._pool = pool
        self._depth = depth
        self._values = values
        self._at = at
        self._memo: dict[int, Term] = {}

    def term(self, term: Term) -> Term:
        """The moved term."""
        return substitute(self._pool, term, self._leaf, self._memo)

    def _leaf(self, term: Term) -> Term | None:
        if term.op != "iv":
            return None
        place = depth_of(term) - self._depth
        if place < 0:
            return term
        if place < len(self._values):
            return self._values[place]
        return self._pool.induction(self._at + place - len(self._values), term.type)

    def block(self, block: Block) -> Block:
        """The moved block."""
        return rewritten(block, self.term, self._memory)

    def _memory(self, memory: Memory) -> Memory:
        return replace(memory, extents=tuple(map(self.term, memory.extents)))


def rewritten(block: Block, term: Callable[[Term], Term], memory: Callable[[Memory], Memory] = lambda m: m) -> Block:
    """The block with every term and memory in it, at any depth, replaced by the results of the functions."""
    return tuple(_rewritten(s, term, memory) for s in block)


def substituted(pool: TermPool, block: Block, leaf: Leaf) -> Block:
    """The block with each term replaced, at any depth and also in extents, for which `leaf` gives one."""
    memo: dict[int, Term] = {}

    def term(root: Term) -> Term:
        return substitute(pool, root, leaf, memo)

    return rewritten(block, term, lambda m: replace(m, extents=tuple(map(term, m.extents))))


def _rewritten(statement: Statement, term: Callable[[Term], Term], memory: Callable[[Memory], Memory]) -> Statement:
    def many(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(map(term, terms))

    def inside(block: Block) -> Block:
        return rewritten(block, term, memory)

    match statement:
        case Store(memory=place, indices=indices, value=value):
            return replace(statement, memory=memory(place), indices=many(indices), value=term(value))
        case Touch(accesses=accesses, terms=terms):
            return replace(statement, accesses=many(accesses), terms=many(terms))
        case Alloc(memory=place) | Dealloc(memory=place):
            return replace(statement, memory=memory(place))
        case Loop(iv=iv, lowers=lowers, uppers=uppers, step=step):
            head = replace(statement, iv=term(iv), lowers=many(lowers), uppers=many(uppers), step=term(step))
            return replace(head, body=inside(statement.body))
        case If(condition=condition, exact=exact):
            head = replace(statement, condition=term(condition), exact=many(exact))
            return replace(head, then=inside(statement.then), otherwise=inside(statement.otherwise))
        case While(condition=condition):
            return While(statement.id, inside(statement.before), term(condition), inside(statement.after))
        case Assert(condition=condition, exact=exact):
            return replace(statement, condition=term(condition), exact=many(exact))
        case Call(operands=operands, memories=memories, results=results):
            places = tuple(map(memory, memories)), tuple(map(memory, results))
            return replace(statement, operands=many(operands), memories=places[0], results=places[1])
        case Load() | Evaluate():
            raise AssertionError("a statement that is not in normal form")


def build(pool: TermPool, depth: int, parts: tuple[Part, ...], schedule: tuple[Schedule, ...]) -> Block:
    """The statements of a schedule that is inside `depth` loops."""
    return tuple(s for item in schedule for s in _built(pool, depth, parts, item, depth))


def _built(pool: TermPool, depth: int, parts: tuple[Part, ...], item: Schedule, at: int) -> Block:
    match item:
        case Copy(part=part, values=values):
            return Mover(pool, depth, values, at).block(parts[part].block)
        case For():
            body = tuple(s for inner in item.body for s in _built(pool, depth, parts, inner, at + 1))
            step = pool.integer(item.step, item.type)
            iv = pool.induction(at, item.type)
            return (Loop(item.id, iv, item.lowers, item.uppers, step, False, body),)


def moved(pool: TermPool, block: Block, depth: int, by: int) -> Block:
    """A block inside `depth` loops, moved inside `by` more loops."""
    return Mover(pool, depth, (), depth + by).block(block)


def step_of(loop: Loop) -> int | None:
    """The step if it is a positive literal; otherwise None."""
    step = literal(loop.step)
    if not isinstance(step, int):
        return None
    if isinstance(loop.iv.type, IntType):
        step = signed(step, loop.iv.type.width)
    return step if step > 0 else None


def plus(pool: TermPool, term: Term, constant: int) -> Term:
    """`term + constant`: exact on `index`; on `iN` modulo `2**N`."""
    if constant == 0:
        return term
    if isinstance(term.type, IndexType):
        return quasi_affine.combine(pool, constant, ((term, 1),))
    assert isinstance(term.type, IntType)
    size = 1 << term.type.width
    value = literal(term)
    if isinstance(value, int):
        return pool.integer((value + constant) % size, term.type)
    return pool.make("arith.addi", (term, pool.integer(constant % size, term.type)), term.type)


def uses(term: Term, depth: int, seen: dict[int, bool]) -> bool:
    """Whether the induction variable at `depth` occurs in `term`; `seen` caches answers for one depth."""
    stack = [term]
    while stack:
        node = stack[-1]
        if node.id in seen:
            stack.pop()
            continue
        missing = [a for a in node.args if a.id not in seen]
        if missing:
            stack.extend(missing)
            continue
        own = node.op == "iv" and depth_of(node) == depth
        seen[node.id] = own or any(seen[a.id] for a in node.args)
        stack.pop()
    return seen[term.id]


def index_type(type_: ScalarType) -> bool:
    """Whether the type is `index`."""
    return type_ == INDEX
