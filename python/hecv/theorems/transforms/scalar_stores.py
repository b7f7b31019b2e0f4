"""Store-to-load forwarding of scalars: theorems that forward a stored value and drop statements without effect."""

from __future__ import annotations

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.program.index import quasi_affine
from hecv.program.tree import Alloc, Block, MemoryKind, Statement, Store, Touch
from hecv.theorems.schedules.block_accesses import changed, operands
from hecv.theorems.schedules.schedule_tree import substituted
from hecv.theorems.schedules.theorem_instance import Applied, Instance, Obligation

LEAVES = frozenset({"const", "arg", "dim", "iv"})


def forward(pool: TermPool, block: Block) -> Instance | None:
    """Store-to-load forwarding: `c := v; S(c); c := w(c)` is `S(v); c := w(v)`, for a memory `c` of rank 0.

    Holds if nothing in `S` changes `c` or what `v` reads, so that `v` has one value throughout; and if `w` reads `c`,
    so that `v` is evaluated on the right too.
    Requires: the block is these statements.
    """
    first, last = block[0], block[-1]
    if not isinstance(first, Store) or not isinstance(last, Store) or first.indices or last.indices:
        return None
    if first.memory.id != last.memory.id or first.guarded or last.guarded or len(block) < 2:
        return None
    memory, value, between = first.memory.id, first.value, block[1:-1]

    def leaf(term: Term) -> Term | None:
        return value if term.op == "load" and term.attr("memory") == memory else None

    after = substituted(pool, (*between, last), leaf)
    touched = {memory, *_loaded((value,))}
    obligations = (
        Obligation("unchanged", lambda: not touched & changed(between)),
        Obligation("still-evaluated", lambda: memory in _loaded((last.value,))),
    )
    return Instance("cell-forward", block, after, obligations, Applied("cell-forward", block))


def last(pool: TermPool, block: Block, at: int) -> Instance | None:
    """Dead store after forwarding: `alloc c; P; c := v; S(c)` is `alloc c; P; S(v)`, if `S` ends the block: then
    nothing reads `c` any more.

    Holds if nothing in `S` changes `c` or what `v` reads, and `S` reads `c`. The sides differ in the final contents of
    `c`. No program that has the block in it observes that: `c` is in scope in this block only, and a memory of that
    name elsewhere begins with an allocation of its own.
    Requires: the block begins with the allocation, `at` is the place of `c := v`.
    """
    first, store = block[0], block[at]
    if not isinstance(first, Alloc) or not isinstance(store, Store) or store.indices or store.guarded:
        return None
    if first.memory.id != store.memory.id or first.memory.kind is not MemoryKind.CELL:
        return None
    memory, value, rest = store.memory.id, store.value, block[at + 1 :]

    def leaf(term: Term) -> Term | None:
        return value if term.op == "load" and term.attr("memory") == memory else None

    after = substituted(pool, rest, leaf)
    touched = {memory, *_loaded((value,))}
    obligations = (
        Obligation("unchanged", lambda: not touched & changed(rest)),
        Obligation("still-evaluated", lambda: any(memory in _loaded(operands(s)) for s in rest)),
    )
    return Instance("cell-last", block, (*block[:at], *after), obligations, Applied("cell-last", block, at))


def idle(statement: Statement) -> Instance | None:
    """A dead statement: a touch that accesses nothing, of operators that are always defined, is dropped."""
    if not isinstance(statement, Touch) or statement.accesses or statement.guarded:
        return None
    total = Obligation("total", lambda: all(_total(t) for t in postorder(statement.terms)))
    return Instance("touch-nothing", (statement,), (), (total,), Applied("touch-nothing", (statement,)))


def _loaded(terms: tuple[Term, ...]) -> set[int]:
    return {int(str(t.attr("memory"))) for t in postorder(terms) if t.op == "load"}


def _total(term: Term) -> bool:
    """Whether the operator at the root of the term is defined for all operands, also those that are poison."""
    if term.op in LEAVES or term.op in _DEFINED or quasi_affine.is_proper(term):
        return True
    divisor = literal(term.args[1]) if term.op in _DIVISIONS else None
    return isinstance(divisor, int) and divisor > 0


_DIVISIONS = frozenset({"arith.divui", "arith.remui"})
_DEFINED = frozenset(
    {"arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori", "arith.cmpi", "arith.select"}
    | {"arith.index_cast", "affine.linear", "affine.floordiv", "affine.max", "affine.min", "affine.mul"}
    | {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.negf", "arith.cmpf"}
)
