"""Two programs with the same statements in the same blocks: each term of the target refines that of the source.

Values are equal by the congruence closure of a proof about terms; poison is compared by atoms
(`hecv.kernel.terms.poison_atoms`). `Evaluate` statements may differ: an operator that the target evaluates is total, as
its operands show, or the source evaluates it on the same operands, no less poison, in the same block or an enclosing
one. Loads are identified by their order.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, TermPool
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.term_format import TermProof
from hecv.kernel.terms.equality_derivation import Equalities
from hecv.kernel.terms.poison_atoms import Atoms, Poison
from hecv.kernel.terms.solvers import Solver
from hecv.normal.integers.idle_operators import comparable
from hecv.ops import exposes
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    Statement,
    Store,
    While,
)
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.interpreter.outcome_analysis import possible_poison, terms_of

Trap = tuple[tuple[object, ...], tuple[Atoms, ...]]
"""An operator that may be undefined, identified by what decides it: the values of its operands, and their poison atoms.
"""


def replay_aligned(
    pool: TermPool, functions: tuple[Function, Function], proof: TermProof, solver: Solver, index_width: int
) -> bool:
    """Checks that the target refines the source; returns whether the functions are equivalent.

    Requires: floats mean what their ops say, indices do not overflow, and memory arguments do not overlap.
    Raises: Rejected, Malformed.
    """
    source, target = (comparable(pool, f) for f in functions)
    if not (source.known and target.known):
        # Such an op may show which NaN a float is, and it is not known which do.
        raise Rejected("programs", "an op has no semantics")
    orders = terms_of(source), terms_of(target)
    if any(exposes(t) for order in orders for t in order):
        raise Rejected("programs", "an op shows which NaN a float is")
    _require_same_interface(source, target)
    known = Equalities(pool, (*orders[0], *orders[1]), proof, solver, index_width)
    poisonous = {
        t for f, order in zip((source, target), orders, strict=True) for t in _poisonous(f, order, index_width)
    }
    poison = Poison(pool, known, poisonous, index_width)
    for order in orders:
        poison.enter(order)
    return _Alignment(known, poison).replay(source, target)


def given_terms(pool: TermPool, functions: tuple[Function, Function]) -> tuple[Term, ...]:
    """The terms that a proof about two functions may name, in order."""
    return tuple([t for f in functions for t in terms_of(comparable(pool, f))])


def _require_same_interface(source: Function, target: Function) -> None:
    if source.globals or target.globals or source.constants or target.constants:
        raise Rejected("programs", "a program with globals is not compared by its statements")
    if len(source.results) != len(target.results):
        raise Rejected("programs", "they return different numbers of results")


def _poisonous(function: Function, order: list[Term], index_width: int) -> set[int]:
    """The leaves that may be poison."""
    leaves = {t.id for t in order if t.op in ("read", "load")}
    return leaves & possible_poison(function, order, Patterns(index_width)) if leaves else leaves


class _Alignment:
    def __init__(self, known: Equalities, poison: Poison) -> None:
        self._known: Final = known
        self._poison: Final = poison
        self._converse = True

    def replay(self, source: Function, target: Function) -> bool:
        """Checks the statements pairwise; returns whether the converse holds too."""
        self._blocks(source.body, target.body, (frozenset(), frozenset()))
        return self._converse

    def _blocks(self, left: Block, right: Block, around: tuple[frozenset[Trap], frozenset[Trap]]) -> None:
        traps = self._traps(left), self._traps(right)
        inside = around[0] | traps[0], around[1] | traps[1]
        if not self._covers(inside[0], traps[1]):
            raise Rejected(
                "definedness", "the target evaluates an operator that may be undefined where it is not shown"
            )
        self._converse &= self._covers(inside[1], traps[0])
        first, second = ([s for s in block if not isinstance(s, Evaluate)] for block in (left, right))
        if len(first) != len(second):
            raise Rejected("statements", "a block has more of them on one side")
        for one, other in zip(first, second, strict=True):
            if not self._statements(one, other, inside):
                kinds = f"{type(one).__name__.lower()} {one.id} of the source"
                raise Rejected(
                    kinds, f"it is not shown to be what {type(other).__name__.lower()} {other.id} of the target is"
                )

    def _traps(self, block: Block) -> frozenset[Trap]:
        terms = [s.term for s in block if isinstance(s, Evaluate) and not self._poison.is_total(s.term)]
        return frozenset((self._poison.root(t), tuple([self._poison.of(a) for a in t.args])) for t in terms)

    def _covers(self, having: frozenset[Trap], wanted: frozenset[Trap]) -> bool:
        """Whether one that is had is undefined wherever a wanted one is."""
        missing = wanted - having
        return all(any(self._is_below(trap, other) for other in having) for trap in missing)

    def _is_below(self, trap: Trap, other: Trap) -> bool:
        return trap[0] == other[0] and all(a <= b for a, b in zip(trap[1], other[1], strict=True))

    def _terms(self, left: tuple[Term, ...], right: tuple[Term, ...]) -> bool:
        return len(left) == len(right) and all(map(self._term, left, right))

    def _term(self, left: Term, right: Term) -> bool:
        closure = self._known.closure
        if closure.find(closure.value(left)) != closure.find(closure.value(right)) or left.type != right.type:
            return False
        ours, theirs = self._poison.of(left), self._poison.of(right)
        self._converse &= ours <= theirs
        return theirs <= ours

    def _memories(self, left: Memory, right: Memory) -> bool:
        same = (left.id, left.kind, left.element) == (right.id, right.kind, right.element)
        return same and self._terms(left.extents, right.extents)

    def _statements(self, left: Statement, right: Statement, inside: tuple[frozenset[Trap], frozenset[Trap]]) -> bool:
        match left, right:
            case (Load(), Load()):
                same = left.id == right.id and self._memories(left.memory, right.memory)
                return same and self._terms(left.indices, right.indices)
            case (Store(), Store()):
                same = left.guarded == right.guarded and self._memories(left.memory, right.memory)
                return same and self._terms((*left.indices, left.value), (*right.indices, right.value))
            case (Alloc(), Alloc()) | (Dealloc(), Dealloc()):
                return self._memories(left.memory, right.memory)
            case (Assert(), Assert()):
                return self._terms((left.condition, *left.exact), (right.condition, *right.exact))
            case (Loop(), Loop()):
                return self._loops(left, right, inside)
            case (If(), If()):
                same = self._terms((left.condition, *left.exact), (right.condition, *right.exact))
                self._blocks(left.then, right.then, inside)
                self._blocks(left.otherwise, right.otherwise, inside)
                return same
            case (While(), While()):
                self._blocks(left.before, right.before, inside)
                self._blocks(left.after, right.after, inside)
                return self._terms((left.condition,), (right.condition,))
            case _:
                return False

    def _loops(self, left: Loop, right: Loop, inside: tuple[frozenset[Trap], frozenset[Trap]]) -> bool:
        heads = [(s.iv, s.unsigned, s.parallel, s.fits, s.updated, s.overwrites) for s in (left, right)]
        bounds = self._terms((*left.lowers, left.step), (*right.lowers, right.step))
        self._blocks(left.body, right.body, inside)
        return heads[0] == heads[1] and bounds and self._terms(left.uppers, right.uppers)
