"""Relational induction over `while` loops, checked: both functions are cut at a loop, and their parts are compared.

Both functions are cut at such a loop (`hecv.normal.summaries.cutpoints`) into what runs before it, one iteration, and
what runs after it. If the target's parts refine the source's, each as a function of the arguments, the memory and the
state that lives across the cut, the target refines the source: both loops begin in one state, continue or end together,
and are in one state again. So they make as many iterations, or neither ends.

- What is proved of a part assumes state and memory without poison. So what the source carries must never be poison, as
  its operators show; what the target carries is then the same.
- Local memory is new in each part, and so are the cells that are not among the state. So all parts are shown to read of
  it only what they have written: whatever the state leaves out, no part depends on it.
- A part uses the values of its own loads and of the state only, and what the function returns is written in the last
  part.
- Floats are compared without licences, and only where no op shows which NaN a float is: what a licence leaves open need
  not be decided alike in two parts.

A part may contain such a loop again. The certificate gives which values of the two states correspond.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import TermPool, postorder
from hecv.base.types import FloatType
from hecv.kernel.certificate.file_format import Dataflow, Turns
from hecv.kernel.certificate.rejection import Rejected
from hecv.normal.summaries.cutpoints import Cut, State, cut
from hecv.normal.whiles.counted_loops import count_loops
from hecv.ops import exposes
from hecv.ops.registry import licensed
from hecv.program.read_write_sets import number
from hecv.program.term_substitution import rename
from hecv.program.tree import Alloc, Block, Function, If, Load, Loop, MemoryKind, Statement, Store, While, roots, walk
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.interpreter.outcome_analysis import chooses, poison_in, terms_of

Both = tuple[Function, Function]


class Part(Protocol):
    """What is proved of two parts besides that the target's refines the source's (`hecv.kernel.dataflow_check`)."""

    @property
    def converse(self) -> bool: ...
    @property
    def initialised(self) -> bool: ...


Check = Callable[[Both, Dataflow], Part]
"""Checks the proof about two parts without such loops. Raises: Rejected."""


def replay_turns(pool: TermPool, functions: Both, proof: Turns, index_width: int, check: Check) -> bool:
    """Checks that the target refines the source; returns whether the source refines the target too.

    Requires: index arithmetic does not overflow, and the caller's memories do not overlap.
    Raises: Rejected.
    """
    if not are_comparable(functions):
        raise Rejected("turns", "an op leaves its value open, or shows which NaN a float is")
    return _Checker(pool, index_width, check).whole(functions, proof, "turns")


class _Checker(Struct, frozen=True):
    pool: TermPool
    index_width: int
    check: Check

    def whole(self, functions: Both, proof: Turns, step: str) -> bool:
        """Checks functions with a while; returns whether the converse is proved."""
        source, target = (self._cut(f, step) for f in functions)
        if carries_poison(self.pool, source, self.index_width, True):
            raise Rejected(step, "what the source carries from turn to turn may be poison")
        converse = not carries_poison(self.pool, target, self.index_width, True)
        for name, both, part in zip(*self._parts(source, target, proof, step), strict=True):
            converse &= self._part(both, part, f"{step}, {name}")
        return converse

    def _cut(self, function: Function, step: str) -> Cut:
        counted = with_counted_loops(self.pool, function)
        found = cut(self.pool, counted, counted.body)
        if found is None:
            raise Rejected(step, "there is no while to cut at, or state has no place among arguments and results")
        if returns_early(found):
            raise Rejected(step, "what is returned is written before the loop has ended")
        return found

    def _parts(
        self, source: Cut, target: Cut, proof: Turns, step: str
    ) -> tuple[list[str], list[Both], tuple[Dataflow | Turns, ...]]:
        """The parts of both, with their names and proofs."""
        begun = _paired(source.carried, target.carried, proof.carried, step)
        left = _paired(source.left, target.left, proof.left, step)
        before = source.first_part(begun[0]), target.first_part(begun[1])
        after = source.last_part(left[0]), target.last_part(left[1])
        if proof.going is None:
            turn = source.turn(begun[0], left[0]), target.turn(begun[1], left[1])
            return ["before", "turn", "after"], [before, turn, after], proof.parts
        going = _paired(source.going, target.going, proof.going, step)
        test = source.test(begun[0], going[0], left[0]), target.test(begun[1], going[1], left[1])
        rest = source.step(going[0], begun[0]), target.step(going[1], begun[1])
        return ["before", "test", "step", "after"], [before, test, rest, after], proof.parts

    def _part(self, both: Both, proof: Dataflow | Turns, step: str) -> bool:
        for function in both:
            if not _is_closed(function.body, set()):
                raise Rejected(step, "it uses a value that is not its own, and no state")
        if isinstance(proof, Turns):
            return self.whole(both, proof, step)
        try:
            shown = self.check(both, proof)
        except Rejected as problem:
            raise Rejected(f"{step}, {problem.step}", problem.why) from None
        if not shown.initialised:
            raise Rejected(step, "it may read of memory of its own what it has not written")
        return shown.converse


def _paired(
    source: Sequence[State], target: Sequence[State], numbers: Sequence[int], step: str
) -> tuple[tuple[State, ...], tuple[State, ...]]:
    """The states of the source with those of the target that the numbers give."""
    if sorted(numbers) != list(range(len(target))) or len(source) != len(target):
        raise Rejected(step, "not every state of the source has one of the target")
    chosen = tuple([target[k] for k in numbers])
    if any(one.type != other.type for one, other in zip(source, chosen, strict=True)):
        raise Rejected(step, "states of different types do not belong together")
    return tuple(source), chosen


def _is_closed(block: Block, known: set[int]) -> bool:
    """Whether a block uses only the values of loads that are `known`, or its own before; these are added."""
    for statement in block:
        if isinstance(statement, While):
            inside = set(known)
            if not _is_closed(statement.before, inside):
                return False
            if not (_uses(statement) <= inside and _is_closed(statement.after, inside)):
                return False
            continue
        if not (_uses(statement) <= known and all(_is_closed(b, set(known)) for b in _blocks(statement))):
            return False
        if isinstance(statement, Load):
            known.add(statement.id)
    return True


def _blocks(statement: Statement) -> tuple[Block, ...]:
    match statement:
        case If(then=then, otherwise=otherwise):
            return then, otherwise
        case Loop(body=body):
            return (body,)
        case _:
            return ()


def _uses(statement: Statement) -> set[int]:
    """The loads whose values stand in a statement itself."""
    return {number(t, "load") for t in postorder(roots(statement)) if t.op == "read"}


# The conditions, which the search asks too


def are_comparable(functions: tuple[Function, Function]) -> bool:
    """Whether equality of parts implies equality of the whole: all parts decide floats alike.

    So there are no licences on floats, and no op whose result may differ between runs or shows which NaN a float is.
    """
    terms = [t for f in functions for t in terms_of(f)]
    if any(map(chooses, functions)) or any(map(exposes, terms)):
        return False
    return not any(isinstance(t.type, FloatType) and licensed(t.attrs) for t in terms)


def with_counted_loops(pool: TermPool, function: Function) -> Function:
    """The function with counted whiles turned into loops."""
    return replace(function, body=count_loops(pool, function))


def has_while(function: Function) -> bool:
    """Whether a function has a while."""
    return any(isinstance(s, While) for s in walk(function.body))


def returns_early(at: Cut) -> bool:
    """Whether a function accesses its results before the loop has ended; only the last part is compared by results."""
    results = {m.id for m in at.function.results}
    return any(s.memory.id in results for s in walk((*at.before, at.loop)) if isinstance(s, Load | Store))


def carries_poison(pool: TermPool, at: Cut, index_width: int, written: bool) -> bool:
    """Whether state or memory may be poison at a cut of a function, by a least fixpoint over its operators.

    `written`: local memory is read only where it was written, so it is no source of poison.
    """
    function = at.function
    if written:
        own = [s.memory for s in walk(function.body) if isinstance(s, Alloc)]
        proper = {m.id: replace(m, kind=MemoryKind.CELL) for m in own}
        function = replace(function, body=rename(function.body, proper))
    terms, memories = poison_in(function, terms_of(function), Patterns(index_width))
    shared = {a.memory.id for a in function.inputs() if a.memory is not None}
    states = (*at.carried, *at.going, *at.left)
    cells = {s.cell.id for s in states if s.cell is not None}
    values = {pool.read(s.load.id, s.type).id for s in states if s.load is not None}
    return bool(memories & (shared | cells) or terms & values)
