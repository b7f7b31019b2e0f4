"""Name normalisation: local memories are named by their type and place, and statements lose their numbers.

Two blocks that differ only in which allocations they use become the same block. A memory gets the least slot that no
memory alive at its allocation has; so the copies of an unrolled body, each with its own allocations, become alike.
Nothing reads what a local memory holds after its last use, and its next allocation clears it.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.normal.index_canonical import canonicalize_indices
from hecv.normal.memory.load_attachment import Attacher
from hecv.normal.whiles.counted_loops import count_loops
from hecv.program.tree import (
    Alloc,
    Block,
    Call,
    Function,
    If,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    While,
)
from hecv.theorems.schedules.block_accesses import names
from hecv.theorems.schedules.no_wrap_premises import exact
from hecv.theorems.schedules.schedule_tree import rewritten, substitute
from hecv.theorems.schedules.theorem_instance import INDEX_WIDTH

FIRST = 1 << 40
"""The number of the first memory that is no argument; larger than any argument's number."""


class Names(Struct):
    """Numbers of memories by what describes them; shared by both programs of a pair."""

    numbers: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])

    def number(self, *key: object) -> int:
        """The number of the memory that `key` describes, always the same."""
        return self.numbers.setdefault(key, FIRST + len(self.numbers))


def theorem_form(pool: TermPool, names_: Names, function: Function, assumptions: tuple[Term, ...]) -> Block:
    """The function in the form that theorems see: its normal form with canonical names, but with dead stores kept,
    since a theorem copies a body as it stands.

    Raises: Unshown if a condition's arithmetic may wrap; NotAffine if an assumption is not affine.
    """
    body = canonicalize_indices(pool, count_loops(pool, function, INDEX_WIDTH), INDEX_WIDTH)
    return named(pool, names_, function, exact(pool, Attacher(pool, function, body).block(body), assumptions))


def named(pool: TermPool, names_: Names, function: Function, body: Block) -> Block:
    """The body with local memories named by their type and place.

    Requires: normal form; each local memory is used only in the block of its allocation, after it. A call of a function
        without a body may name more memories, which it may have been given before.
    Ensures: the same observable behaviour.
    """
    known: dict[int, Memory] = {}
    for argument in function.inputs():
        memory = argument.memory
        if memory is not None:
            shared = memory.kind is MemoryKind.ARGUMENT
            number = memory.id if shared else names_.number("global", argument.name)
            known[memory.id] = replace(memory, id=number)
    for constant in function.constants:
        known[constant.memory.id] = replace(constant.memory, id=names_.number("constant", constant.number))
    for place, result in enumerate(function.results):
        known[result.id] = replace(result, id=names_.number("result", place))
    return _Namer(pool, names_).block(merged(pool, body), known, frozenset())


def merged(pool: TermPool, block: Block) -> Block:
    """Copy propagation: a cell that is only initialised with another cell, which is dead from then on, is merged with
    it."""
    statements = list(block)
    at = 0
    while at < len(statements):
        pair = _taken_over(statements, at)
        if pair is None:
            at += 1
            continue
        old, new = pair
        alloc = next(k for k, s in enumerate(statements) if isinstance(s, Alloc) and s.memory.id == new.id)
        rename = _Renamer(pool, {new.id: old}, partial=True)
        rest = [s for k, s in enumerate(statements) if k not in (alloc, at)]
        statements = list(rename.block(tuple(rest)))
        at = alloc
    return tuple(_within(pool, s) for s in statements)


def _within(pool: TermPool, statement: Statement) -> Statement:
    match statement:
        case Loop():
            return replace(statement, body=merged(pool, statement.body))
        case If():
            then, otherwise = merged(pool, statement.then), merged(pool, statement.otherwise)
            return replace(statement, then=then, otherwise=otherwise)
        case While(after=after):
            # What `before` allocates the condition and `after` still read: it stays as it is.
            return replace(statement, after=merged(pool, after))
        case _:
            return statement


def _taken_over(statements: list[Statement], at: int) -> tuple[Memory, Memory] | None:
    """The cells `(old, new)` where the statement is the first to name `new`, writes `old` to it, and is the last to
    name `old`, which the same block allocates."""
    store = statements[at]
    if not isinstance(store, Store) or store.memory.kind is not MemoryKind.CELL or store.value.op != "load":
        return None
    cells = {s.memory.id: s.memory for s in statements[:at] if isinstance(s, Alloc)}
    old, new = cells.get(int(str(store.value.attr("memory")))), cells.get(store.memory.id)
    if old is None or new is None or old.kind is not MemoryKind.CELL or old.id == new.id:
        return None
    earlier = (s for s in statements[:at] if not (isinstance(s, Alloc) and s.memory.id == new.id))
    if any(new.id in names((s,)) for s in earlier) or old.id in names(tuple(statements[at + 1 :])):
        return None
    return old, new


class _Renamer:
    """Renames memories; with `partial`, a memory that is not listed keeps its name."""

    def __init__(self, pool: TermPool, memories: dict[int, Memory], *, partial: bool) -> None:
        self._pool = pool
        self._memories = memories
        self._partial = partial
        self._memo: dict[int, Term] = {}

    def term(self, term: Term) -> Term:
        """The term with its loads renamed."""
        return self._load(term) if term.op == "load" else substitute(self._pool, term, self._leaf, self._memo)

    def _leaf(self, term: Term) -> Term | None:
        return self._load(term) if term.op == "load" else None

    def _load(self, term: Term) -> Term:
        known = self._memo.get(term.id)
        if known is None:
            number = int(str(term.attr("memory")))
            number = self._memories[number].id if number in self._memories or not self._partial else number
            known = self._memo[term.id] = self._pool.load(number, self.terms(term.args), term.type)
        return known

    def terms(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """Several terms."""
        return tuple(map(self.term, terms))

    def memory(self, memory: Memory) -> Memory:
        """The memory under its new name, with the extents of the old."""
        found = self._memories.get(memory.id, memory) if self._partial else self._memories[memory.id]
        return replace(found, name=f"m{found.id}", extents=self.terms(memory.extents))

    def block(self, block: Block) -> Block:
        """The block renamed."""
        return rewritten(block, self.term, self.memory)


class _Namer:
    def __init__(self, pool: TermPool, numbers: Names) -> None:
        self._pool = pool
        self._numbers = numbers

    def block(self, block: Block, known: dict[int, Memory], taken: frozenset[int]) -> Block:
        """The block renamed; `taken` are the numbers of the local memories that are alive around it."""
        last: dict[int, int] = {}
        for place, statement in enumerate(block):
            last.update((m, place) for m in names((statement,)))
        live: dict[int, int] = {}
        out: list[Statement] = []
        for place, statement in enumerate(block):
            if isinstance(statement, Alloc) and statement.memory.id not in known:
                known = self._with(statement.memory, known, taken | set(live.values()))
                live[statement.memory.id] = known[statement.memory.id].id
            out.append(self._statement(statement, known, taken | set(live.values())))
            live = {m: n for m, n in live.items() if last[m] > place}
        return tuple(out)

    def _with(self, memory: Memory, known: dict[int, Memory], taken: frozenset[int]) -> dict[int, Memory]:
        """`known` with a memory that gets the least number that is not taken."""
        slot = 0
        while (number := self._numbers.number(memory.kind, memory.element, len(memory.extents), slot)) in taken:
            slot += 1
        return {**known, memory.id: replace(memory, id=number)}

    def _statement(self, statement: Statement, known: dict[int, Memory], taken: frozenset[int]) -> Statement:
        rename = _Renamer(self._pool, known, partial=False)
        match statement:
            case Loop(body=body):
                (bare,) = rename.block((replace(statement, body=()),))
                assert isinstance(bare, Loop)
                return replace(bare, body=self.block(body, known, taken))
            case If(then=then, otherwise=otherwise):
                (bare,) = rename.block((replace(statement, then=(), otherwise=()),))
                assert isinstance(bare, If)
                branches = self.block(then, known, taken), self.block(otherwise, known, taken)
                return replace(bare, then=branches[0], otherwise=branches[1])
            case While():
                return self._while(statement, known, taken)
            case Call(memories=memories):
                # What lives elsewhere, or not yet, is accessed by no statement that could be moved across the call.
                here = tuple([m for m in memories if m.id in known])
                return rename.block((replace(statement, memories=here),))[0]
            case _:
                return rename.block((statement,))[0]

    def _while(self, statement: While, known: dict[int, Memory], taken: frozenset[int]) -> While:
        """What `before` allocates lives on in the condition and in `after`."""
        for inner in statement.before:
            if isinstance(inner, Alloc):
                known = self._with(inner.memory, known, taken)
                taken |= {known[inner.memory.id].id}
        condition = _Renamer(self._pool, known, partial=False).term(statement.condition)
        return While(
            0, self.block(statement.before, known, taken), condition, self.block(statement.after, known, taken)
        )
