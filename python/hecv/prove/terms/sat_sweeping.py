"""The proof by sweeping, as the verdict needs it: long straight-line code, in loops or not, statement by statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.theory import FALSE
from hecv.claim.result import RuleUse
from hecv.normal.integers.idle_operators import comparable
from hecv.ops import exposes
from hecv.ops.facts.poison_conditions import Shapes
from hecv.program.tree import Function, Loop
from hecv.prove.terms.program_slices import Slice, Slices, sliced
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.interpreter.outcome_analysis import possible_poison, terms_of

if TYPE_CHECKING:
    from hecv.sweep.cut_sweeping.cut_sweep import QuickSweep
    from hecv.sweep.cut_sweeping.parallel_sweep import Parts
    from hecv.sweep.cut_sweeping.shape_prover import ShapeProver
    from hecv.sweep.cuts.merge_record import Record
    from hecv.sweep.cuts.operator_kinds import Kinds
    from hecv.sweep.cuts.poison_sources import Taints

LONG: Final = 60
"""Functions with so many terms are swept before anything else is tried."""

SECONDS: Final = 240.0
BRIEF_SECONDS: Final = 5.0
"""New questions are asked for so long, in each way of sweeping; briefly where a run has refuted the pair."""


PROPER_DEPTHS: Final = (2, 4)
"""How far the operands of an operator are opened to show that it makes no poison."""

PART: Final = 10_000
"""A part of a sweep in a process of its own has so many terms at least."""

ROUNDS: Final = 3
"""So often both sides are swept, in turn first."""


Orders = tuple[list[Term], list[Term]]
"""The terms of both functions, operands before users."""


class Swept(Struct, frozen=True):
    """How a sweep ended: the target refines the source, and whether the converse was shown. `tools` are those of
    a quick sweep that was recorded."""

    equal: bool
    converse: bool
    rules: tuple[RuleUse, ...]
    asked: int
    tools: Tools | None = None


def is_long(orders: Orders) -> bool:
    """Whether a pair of functions with these terms is long enough to be swept first."""
    return any(len(order) >= LONG for order in orders)


Refute = Callable[[tuple[Function, Function], Callable[[Term], Term]], bool]
"""Whether two functions were seen to differ, given what took the places of their terms."""


def sweep(
    pool: TermPool,
    functions: tuple[Function, Function],
    index_width: int,
    seconds: float = SECONDS,
    refute: Refute = lambda functions, became: False,
    record: Record | None = None,
    begun: Begun | None = None,
) -> Swept | None:
    """Tries to prove that the second function refines the first; None where an op shows which NaN a float is. Where the
    quick sweep does not, and `refute` says that they differ, it is not tried for longer. `record` takes the steps of
    the quick sweep, which may have `begun`.

    Requires: floats mean what their ops say, and memory arguments do not overlap.
    """
    # The e-graph and Z3 take a tenth of a second each to load, and most pairs need neither.
    from hecv.sweep.cuts.term_windows import Shape
    from hecv.sweep.statement_alignment import Alignment
    from hecv.sweep.window_prover import WindowProver
    from hecv.sweep.window_sweep import Sweep

    begun = begun or begin(pool, functions, index_width, seconds, record)
    if begun is None:
        return None
    (source, target), orders, quick = begun.functions, begun.orders, _finished(begun, index_width)
    if not quick.swept.equal and refute((source, target), quick.became):
        return quick.swept
    if not quick.swept.equal and quick.again is not None:
        quick = quick.again()
    if quick.swept.equal:
        return quick.swept if record is None else replace(quick.swept, tools=quick.tools)
    poisonous = {
        t for f, order in zip((source, target), orders, strict=True) for t in _poisonous(f, order, index_width)
    }
    prover = WindowProver(index_width)
    sweeps: list[Sweep] = []
    asked: dict[Shape, bool] = {}
    shapes = Shapes(index_width)
    deadline = process_time() + seconds

    def placed(term: Term) -> Term:
        for done in sweeps:
            term = done.became(term)
        return term

    def rebuilt(term: Term) -> Term:
        for done in sweeps:
            term = done.rebuilt(term)
        return term

    def total(term: Term) -> bool:
        return shapes.of(term, tuple(sweeps[-1].is_proper(a) for a in term.args)).ub is FALSE

    aligned, equal = Alignment(placed, rebuilt, total), False
    while not equal and len(sweeps) < ROUNDS:
        latest = Sweep(pool, prover, prover.is_proper, poisonous, index_width, deadline, asked)
        # What was learnt of one side in a round is learnt of the other in the next.
        sides = tuple(postorder(tuple(dict.fromkeys(map(placed, order)))) for order in orders)
        first, second = sides if len(sweeps) % 2 == 0 else sides[::-1]
        latest.run(first, second, exact=bool(sweeps))
        sweeps.append(latest)
        aligned = Alignment(placed, rebuilt, total)
        equal = aligned.same(source, target)
    uses = prover.uses + sum((Counter({f"sweep-{n}": c for n, c in s.uses.items()}) for s in sweeps), Counter[str]())
    return Swept(equal, aligned.converse and not sweeps[0].one_way, _rules(uses), len(asked))


class Tools(Struct, frozen=True):
    """What a quick sweep used."""

    kinds: Kinds
    prover: ShapeProver
    taints: Taints


class Quick(Struct, frozen=True):
    """A quick sweep that has ended, what it used, and what took the place of a term; `again` makes one of the whole,
    which may find more than one in parts."""

    swept: Swept
    tools: Tools
    became: Callable[[Term], Term]
    again: Callable[[], Quick] | None = None


class Begun(Struct, frozen=True):
    """A quick sweep of two functions whose loads are numbered, in `parts` or `slices` where it goes on beside this
    process; `again` makes another, for the whole."""

    functions: tuple[Function, Function]
    orders: Orders
    sweep: QuickSweep
    tools: Tools
    parts: Parts | None = None
    slices: Slices[Swept] | None = None
    again: Callable[[], tuple[QuickSweep, Tools]] | None = None

    def end(self) -> None:
        """Ends what goes on beside this process."""
        for beside in (self.parts, self.slices):
            if beside is not None:
                beside.end()


class Entered(Struct, frozen=True):
    """A quick sweep that was `made` of the terms of a source, `order`, of which some leaves are `poisonous`."""

    order: list[Term]
    poisonous: set[int]
    made: tuple[QuickSweep, Tools]

    def fits(self, order: list[Term], poisonous: set[int]) -> bool:
        """Whether it can go on with a source that has these terms, in a pair in which these leaves are poisonous."""
        return self.order == order and self.poisonous == poisonous


def enter(pool: TermPool, source: Function, index_width: int, seconds: float) -> Entered | None:
    """Enters the terms of a source before the target is known; None where the quick sweep would not begin with them: an
    op shows which NaN a float is, there are few, or loops that stand one after the other and may be swept each alone.
    """
    if sum(isinstance(s, Loop) for s in source.body) > 1:
        return None
    source = comparable(pool, source)
    order = terms_of(source)
    if len(order) < PART or any(map(exposes, order)):
        return None
    poisonous = _poisonous(source, order, index_width)
    made = _made(pool, poisonous, index_width, seconds, None)
    made[0].enter(order)
    return Entered(order, poisonous, made)


def parts_of(orders: Orders, cores: int) -> int:
    """In how many parts a pair of functions with these terms is swept."""
    return max(1, min(cores, sum(map(len, orders)) // PART))


def begin(
    pool: TermPool,
    functions: tuple[Function, Function],
    index_width: int,
    seconds: float,
    record: Record | None = None,
    cores: int = 1,
    entered: Entered | None = None,
) -> Begun | None:
    """Begins the quick sweep of two functions, of long ones in parts on so many `cores`; None where an op shows which
    NaN a float is. Of the source terms may be `entered`."""
    from hecv.sweep.cut_sweeping.parallel_sweep import Parts

    both = comparable(pool, functions[0]), comparable(pool, functions[1])
    orders = terms_of(both[0]), terms_of(both[1])
    if any(exposes(t) for order in orders for t in order):
        return None
    poisonous = {t for f, order in zip(both, orders, strict=True) for t in _poisonous(f, order, index_width)}
    made = partial(_made, pool, poisonous, index_width, seconds, record)
    begun = Begun(both, orders, *(entered.made if entered and entered.fits(orders[0], poisonous) else made()))
    count = parts_of(orders, cores)
    if count == 1:
        return begun
    slices = sliced(both, count)
    if slices is not None:
        return replace(begun, slices=Slices(slices, partial(_swept_slice, made, index_width)))
    parts = Parts(begun.sweep, pool, begun.tools.prover, orders, count)
    parts.begin()
    return replace(begun, parts=parts, again=made)


def _swept_slice(made: Callable[[], tuple[QuickSweep, Tools]], index_width: int, one: Slice) -> Swept:
    """How the quick sweep of a slice ended."""
    return _finished(Begun(one.functions, one.orders, *made()), index_width).swept


def quickly(
    pool: TermPool, functions: tuple[Function, Function], index_width: int, seconds: float, record: Record | None = None
) -> Quick | None:
    """The quick sweep of two functions; None where an op shows which NaN a float is."""
    begun = begin(pool, functions, index_width, seconds, record)
    return None if begun is None else _finished(begun, index_width)


def _finished(begun: Begun, index_width: int) -> Quick:
    """The quick sweep; where slices do not show the functions equal, or parts leave too much open, it is made of the
    whole: nothing is left unproved for want of what another slice or part found."""
    if begun.slices is not None:
        swept = _together(begun.slices.finish())
        if swept.equal:
            return Quick(swept, begun.tools, begun.sweep.became)
    if begun.parts is None or begun.again is None:
        begun.sweep.run(*begun.orders)
        return _compared(begun, begun.sweep, begun.tools, index_width)
    again = partial(_whole, begun, begun.again, index_width)
    begun.parts.finish()
    return again() if begun.sweep.gave_up else _compared(begun, begun.sweep, begun.tools, index_width, again)


def _whole(begun: Begun, again: Callable[[], tuple[QuickSweep, Tools]], index_width: int) -> Quick:
    done, tools = again()
    done.run(*begun.orders)
    return _compared(begun, done, tools, index_width)


def _compared(
    begun: Begun, done: QuickSweep, tools: Tools, index_width: int, again: Callable[[], Quick] | None = None
) -> Quick:
    """Whether the functions are the same by what a sweep has shown."""
    from hecv.sweep.statement_alignment import Alignment

    shapes = Shapes(index_width)

    def total(term: Term) -> bool:
        return shapes.of(term, tuple(done.is_proper(a) for a in term.args)).ub is FALSE

    aligned = Alignment(done.became, done.rebuilt, total)
    equal = aligned.same(*begun.functions)
    if not equal and done.again(_outermost(begun.orders[1])):
        aligned = Alignment(done.became, done.rebuilt, total)
        equal = aligned.same(*begun.functions)
    converse = aligned.converse and not done.one_way
    swept = Swept(equal, converse, _rules(tools.prover.uses + done.uses), tools.prover.asked)
    return Quick(swept, tools, done.became, again)


def _together(parts: Sequence[Swept]) -> Swept:
    """How a sweep ended whose slices ended so."""
    uses = sum((Counter({rule.name: rule.uses for rule in one.rules}) for one in parts), Counter[str]())
    return Swept(
        all(one.equal for one in parts),
        all(one.converse for one in parts),
        _rules(uses),
        sum(one.asked for one in parts),
    )


def _rules(uses: Counter[str]) -> tuple[RuleUse, ...]:
    return tuple([RuleUse(name, "static", count, "proved") for name, count in sorted(uses.items())])


def _outermost(order: list[Term]) -> list[Term]:
    """The terms that are in no other."""
    inner = {a.id for t in order for a in t.args}
    return [t for t in order if t.id not in inner]


def sweep_terms(
    pool: TermPool,
    orders: Orders,
    poisonous: set[int],
    index_width: int,
    seconds: float,
    record: Record | None = None,
) -> tuple[QuickSweep, Tools]:
    """The quick sweep over the terms of two programs, operands before users; `poisonous` are the leaves that may be
    poison, `record` takes the steps.

    Requires: no op shows which NaN a float is.
    """
    done, tools = _made(pool, poisonous, index_width, seconds, record)
    done.run(*orders)
    return done, tools


def _made(
    pool: TermPool, poisonous: set[int], index_width: int, seconds: float, record: Record | None
) -> tuple[QuickSweep, Tools]:
    """A quick sweep that is to begin."""
    from hecv.sweep.cut_sweeping.cut_sweep import QuickSweep
    from hecv.sweep.cut_sweeping.shape_prover import ShapeProver, known_facts
    from hecv.sweep.cuts.poison_sources import Taints
    from hecv.sweep.window_prover import WindowProver
    from hecv.sweep.window_sweep import closed

    deadline = process_time() + seconds
    facts, windows = known_facts(index_width), WindowProver(index_width)
    kinds, prover = facts.kinds, ShapeProver(facts, lambda: process_time() < deadline)

    def makes_no_poison(term: Term) -> bool:
        for depth in PROPER_DEPTHS:
            small = closed(facts.pool, term, taints.is_opaque, depth)
            if small.id in facts.proper or windows.is_proper(small):
                facts.proper.add(small.id)
                if record is not None:
                    record.proper(term, depth)
                return True
        return False

    taints = Taints(index_width, poisonous, makes_no_poison)
    done = QuickSweep(pool, kinds, prover, taints, index_width, record)
    return done, Tools(kinds, prover, taints)


def _poisonous(function: Function, order: list[Term], index_width: int) -> set[int]:
    """The leaves that may be poison."""
    leaves = {t.id for t in order if t.op in ("read", "load")}
    return leaves and leaves & possible_poison(function, order, Patterns(index_width))
