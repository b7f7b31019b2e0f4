"""If-conversion: a branch on data becomes straight-line code with selects.

    if c { store v, A[i] }              =>   store select(c, v, A[i]), A[i]
    if c { store A[i] + v, A[i] }       =>   store A[i] + select(c, v, 0), A[i]

Array dataflow represents a quasi-affine condition as a domain. Any other condition it can only follow as a value, so
the branch on it goes. An update stays a reduction step (`hecv.normal.memory.reduction_updates`). A memory that the
branch itself allocates, which nothing else sees, simply gets the new value.

What the branch kept from running still does not run:

- A store or read under the condition is `guarded`: out of bounds, it is undefined only where the condition holds.
- An operator that can be undefined gets the operand 1 where the condition does not hold: `x / select(c, y, 1)`.
- A call that is an operator gets the condition as one more operand: where it does not hold, that is a function that is
  defined.
- A branch on poison is undefined, so a `control.branch` touches the condition.

A condition that the branch itself may change is saved in a cell. A branch that holds anything else (a deallocation, a
loop over `iN`, a call) stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import CALL, OPAQUE_PARTIAL, Term, TermPool, literal, name_of, postorder, rebuild
from hecv.base.theory import FALSE
from hecv.base.types import BOOL, IndexType
from hecv.normal.memory.cell_sinking import sink
from hecv.normal.memory.clobbered_loads import apart
from hecv.normal.memory.reduction_updates import operand, where
from hecv.ops.facts.poison_conditions import Shapes
from hecv.program.index.index_conditions import is_note
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Function,
    If,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    Touch,
    walk,
)

BRANCH = "control.branch"
"""The operator that stands for the evaluation of the condition of a branch on data."""

ASSERT = "control.assert"
"""The operator that stands for an assertion whose condition array dataflow cannot represent."""

_NEGATIONS = {
    "arith.cmpi": {"ne": "eq", "sge": "slt", "sgt": "sle", "uge": "ult", "ugt": "ule"},
    "arith.cmpf": {
        **{"une": "oeq", "uge": "olt", "ugt": "ole", "ule": "ogt", "ult": "oge"},
        **{"ueq": "one", "uno": "ord"},
    },
}
"""Comparisons that hold exactly where another one does not, with that other one."""


class _NotConvertible(Exception):
    """The branch holds something that cannot run under a condition."""


class _Guard(Struct, frozen=True):
    """The conditions of the enclosing branches on data; none at the top.

    `holds[k]` says that all but the outermost `k` of them hold, where those `k` do.
    """

    holds: tuple[Term, ...] = ()

    def beyond(self, depth: int) -> Term | None:
        """The condition to be here, seen from within `depth` of the branches; None if it always holds."""
        return self.holds[depth] if depth < len(self.holds) else None


def convert_branches(
    pool: TermPool,
    function: Function,
    body: Block,
    is_affine: Callable[[Term], bool],
    index_width: int = 64,
    floats: bool = False,
) -> Block:
    """If-converts the branches whose condition is not affine. `floats`: no op shows which NaN a float is.

    Requires: `body` is a normal form of `function`.
    Ensures: the same final memory, undefined on the same inputs.
    """
    if all(is_affine(s.condition) for s in walk(body) if isinstance(s, If)):
        return body
    body = sink(body, lambda condition: not is_affine(condition))
    return _IfConverter(pool, function, body, is_affine, index_width, floats).block(body, _Guard())


class _IfConverter:
    def __init__(
        self,
        pool: TermPool,
        function: Function,
        body: Block,
        is_affine: Callable[[Term], bool],
        index_width: int,
        floats: bool,
    ) -> None:
        self._pool = pool
        self._floats = floats
        self._is_affine = is_affine
        self._overlapping = function.overlapping
        self._statement = max((s.id for s in (*walk(function.body), *walk(body))), default=0)
        made = (s.memory.id for s in walk(body) if isinstance(s, Alloc))
        self._memory = 1 + max((*function.memories(), *made), default=0)
        self._shapes = Shapes(index_width)
        self._true, self._false = pool.integer(1, BOOL), pool.integer(0, BOOL)
        self._depths: dict[int, int] = {}
        """How many branches on data enclose the allocation of a memory."""

    def block(self, block: Block, guard: _Guard) -> Block:
        """The block, run where `guard` holds."""
        out: list[Statement] = []
        for statement in block:
            out += self._run(statement, guard)
        return tuple(out)

    def _run(self, statement: Statement, guard: _Guard) -> Block:
        match statement:
            case If() if not self._is_affine(statement.condition):
                try:
                    return self._selected(statement, guard)
                except _NotConvertible:
                    if guard.holds:
                        raise
                    return (statement,)
            case If():
                then, otherwise = (self.block(b, guard) for b in (statement.then, statement.otherwise))
                guarded = statement.guarded or bool(guard.holds)
                return (replace(statement, then=then, otherwise=otherwise, guarded=guarded),)
            case Loop():
                if guard.holds and not isinstance(statement.iv.type, IndexType):
                    raise _NotConvertible
                fits = statement.fits and not guard.holds
                return (replace(statement, body=self.block(statement.body, guard), fits=fits),)
            case _:
                return (self._guarded(statement, guard),) if guard.holds else (statement,)

    def _guarded(self, statement: Statement, guard: _Guard) -> Statement:
        match statement:
            case Store():
                return self._stored(statement, self._safe(statement.value, guard), guard)
            case Touch():
                terms = tuple(self._safe(t, guard) for t in statement.terms)
                return Touch(statement.id, statement.accesses, terms, True)
            case Assert(condition=condition) if is_note(condition):
                return Touch(statement.id, (), (), True)
            case Assert() if not statement.exact:
                condition = self._select(guard.holds[0], self._safe(statement.condition, guard), self._true)
                return Touch(statement.id, (), (self._pool.make(ASSERT, (condition,), BOOL),), True)
            case Alloc(memory=memory) if all((literal(e) or -1) >= 0 for e in memory.extents):
                self._depths[memory.id] = len(guard.holds)
                return statement
            case _:
                raise _NotConvertible

    def _stored(self, store: Store, value: Term, guard: _Guard) -> Store:
        """A store of `value` that keeps the old contents where `guard` does not hold."""
        memory, indices = store.memory, store.indices
        holds = guard.beyond(self._depths.get(memory.id, 0))
        given = operand(self._pool, replace(store, value=value), self._floats)
        if holds is not None and given is not None:
            value = where(self._pool, replace(store, value=value), holds, given)
        elif holds is not None:
            value = self._select(holds, value, self._pool.load(memory.id, indices, memory.element))
        return Store(store.id, memory, indices, value, True)

    def _selected(self, branch: If, guard: _Guard) -> Block:
        """The straight-line form of a branch on data: both sides under the condition; stores that end both are merged.

        Both may end with a loop of the same iterations, as where they yield vectors: that is one loop around a branch.
        """
        branch = self._positive(branch)
        condition, before = self._kept(branch, self._safe(branch.condition, guard), guard)
        holds = self._entered(guard, condition)
        fails = self._entered(guard, self._pool.make("arith.xori", (condition, self._true), BOOL))
        trap = self._pool.make(BRANCH, (holds.holds[0],), BOOL)
        # What the condition computes exactly has to stay in range, as it had to before.
        exact = (If(self._number(), self._true, (), (), branch.exact),) if branch.exact else ()
        shared = _common_stores(branch.then, branch.otherwise, self._overlapping)
        loops = self._is_one_loop(branch.then, branch.otherwise)
        then, otherwise = (b[: len(b) - (1 if loops else shared)] for b in (branch.then, branch.otherwise))
        ends = [*zip(branch.then[len(then) :], branch.otherwise[len(otherwise) :], strict=True)]
        return (
            *exact,
            *before,
            Touch(branch.id, (), (trap,), bool(guard.holds)),
            *self.block(then, holds),
            *self.block(otherwise, fails),
            *(
                self._either_loop(a, b, condition, guard) if loops else self._either(a, b, holds, fails, guard)
                for a, b in ends
            ),
        )

    def _is_one_loop(self, then: Block, otherwise: Block) -> bool:
        """True if both sides of a branch end with a loop of the same iterations, and those loops with the same
        stores."""
        if not (then and otherwise and isinstance(then[-1], Loop) and isinstance(otherwise[-1], Loop)):
            return False
        first, second = then[-1], otherwise[-1]
        if _loop_header(first) != _loop_header(second) or first.parallel or not isinstance(first.iv.type, IndexType):
            return False
        met = _common_stores(first.body, second.body, self._overlapping) > 0
        return met or self._is_one_loop(first.body, second.body)

    def _either_loop(self, then: Statement, otherwise: Statement, condition: Term, guard: _Guard) -> Statement:
        """One loop in place of the two that end both sides of a branch within `guard`: the branch moves into its
        body."""
        assert isinstance(then, Loop) and isinstance(otherwise, Loop)
        branch = If(self._number(), condition, then.body, otherwise.body)
        return replace(then, body=self._selected(branch, guard), fits=False)

    def _entered(self, guard: _Guard, condition: Term) -> _Guard:
        """The guard inside a branch on `condition`, which may be anything where the guard around it does not hold."""
        return _Guard((*(self._select(outer, condition, self._false) for outer in guard.holds), condition))

    def _positive(self, branch: If) -> If:
        """The branch without negations of its condition; each exchanges the sides. Compilers do so too."""
        condition, then, otherwise = branch.condition, branch.then, branch.otherwise
        while (opposite := self._negated(condition)) is not None:
            condition, then, otherwise = opposite, otherwise, then
        return replace(branch, condition=condition, then=then, otherwise=otherwise)

    def _negated(self, condition: Term) -> Term | None:
        """The condition that this one negates; None if it is no negation. `ne` negates `eq`, `sge` negates `slt`, and
        so on."""
        if condition.op == "arith.xori" and literal(condition.args[1]) == 1:
            return condition.args[0]
        opposites = _NEGATIONS.get(condition.op)
        opposite = None if opposites is None else opposites.get(str(condition.attr("predicate")))
        if opposite is None:
            return None
        attributes = tuple((n, opposite if n == "predicate" else v) for n, v in condition.attrs)
        return self._pool.make(condition.op, condition.args, condition.type, attributes)

    def _kept(self, branch: If, condition: Term, guard: _Guard) -> tuple[Term, Block]:
        """The condition as it is before the branch: itself, or a cell that holds it if the branch may write what it
        reads."""
        stores = [s for s in walk((*branch.then, *branch.otherwise)) if isinstance(s, Store)]
        reads = [t for t in postorder((condition,)) if t.op == "load"]
        if not any(_may_write(s, t, self._overlapping) for s in stores for t in reads):
            return condition, ()
        cell = Memory(self._memory, MemoryKind.CELL, f"condition{branch.id}", BOOL, ())
        self._memory += 1
        self._depths[cell.id] = len(guard.holds)
        store = Store(self._number(), cell, (), condition, bool(guard.holds))
        return self._pool.load(cell.id, (), BOOL), (Alloc(self._number(), cell), store)

    def _either(self, then: Statement, otherwise: Statement, holds: _Guard, fails: _Guard, guard: _Guard) -> Statement:
        """One store in place of the two that end both sides of a branch within `guard`."""
        assert isinstance(then, Store) and isinstance(otherwise, Store)
        values = self._safe(then.value, holds), self._safe(otherwise.value, fails)
        return self._stored(then, self._select(holds.holds[-1], *values), guard)

    def _number(self) -> int:
        self._statement += 1
        return self._statement

    def _select(self, condition: Term, then: Term, otherwise: Term) -> Term:
        return self._pool.make("arith.select", (condition, then, otherwise), then.type)

    # Operators that can be undefined

    def _safe(self, term: Term, guard: _Guard) -> Term:
        """`term` with 1 for the second operand of each operator that can be undefined, where `guard` does not hold."""
        if not guard.holds:
            return term
        memo: dict[int, Term] = {}

        def leaf(node: Term) -> Term | None:
            if node.op == "load" or not self._can_trap(node):
                return node if node.op == "load" else None
            if node.op == OPAQUE_PARTIAL and name_of(node) == CALL:
                args = tuple(rebuild(self._pool, a, leaf, memo) for a in node.args)
                return self._pool.make(node.op, (guard.holds[0], *args), node.type, node.attrs)
            if not self._is_total_by_one(node):
                raise _NotConvertible
            first, second, *rest = (rebuild(self._pool, a, leaf, memo) for a in node.args)
            divisor = self._select(guard.holds[0], second, self._pool.integer(1, second.type))
            return self._pool.make(node.op, (first, divisor, *rest), node.type, node.attrs)

        return rebuild(self._pool, term, leaf, memo)

    def _can_trap(self, node: Term) -> bool:
        """True if the operator is undefined for some operands; a literal divisor often rules that out."""
        return bool(node.args) and self._shapes.of(node, (False,) * len(node.args)).ub is not FALSE

    def _is_total_by_one(self, node: Term) -> bool:
        """True if the operator is defined for every first operand when the second is 1."""
        if len(node.args) != 2:
            return False
        first, second = node.args
        by_one = self._pool.make(node.op, (first, self._pool.integer(1, second.type)), node.type, node.attrs)
        return self._shapes.of(by_one, (False, True)).ub is FALSE


def _loop_header(loop: Loop) -> tuple[object, ...]:
    """What determines the iterations of a loop, and how they run."""
    return loop.iv, loop.lowers, loop.uppers, loop.step, loop.unsigned, loop.parallel


def _may_write(store: Store, load: Term, overlapping: frozenset[int]) -> bool:
    """True if the store may write the element that the load reads, in one iteration of the loops around both."""
    if store.memory.id == load.attr("memory"):
        return not apart(store.indices, load.args)
    return store.memory.id in overlapping and load.attr("memory") in overlapping


def _common_stores(then: Block, otherwise: Block, overlapping: frozenset[int]) -> int:
    """The number of stores to the same elements that both blocks end with, none of which reads what another may
    write."""
    stores: list[Store] = []
    for first, second in zip(reversed(then), reversed(otherwise), strict=False):
        if not (isinstance(first, Store) and isinstance(second, Store)):
            break
        if first.memory.id != second.memory.id or first.indices != second.indices:
            break
        if any(s.memory.id == first.memory.id and not apart(s.indices, first.indices) for s in stores):
            break
        stores.append(first)
    count, written = len(stores), {s.memory.id for s in stores}
    ends = (*then[len(then) - count :], *otherwise[len(otherwise) - count :])
    read = {int(str(t.attr("memory"))) for s in ends for t in _loads(s)}
    if written & overlapping:
        written |= overlapping
    return 0 if written & read else count


def _loads(statement: Statement) -> list[Term]:
    match statement:
        case Store():
            terms = (*statement.indices, statement.value)
        case Touch():
            terms = (*statement.accesses, *statement.terms)
        case If():
            terms = (statement.condition,)
        case _:
            return []
    return [t for t in postorder(terms) if t.op == "load"]
