"""Equality of two programs by loop theorems and static laws, in rounds (HEC, section 4.3).

A round saturates the e-graph under the static laws, extracts the programs with the simplest term of each class, applies
loop theorems to them, and enters each equality whose obligations hold. The programs are equal when their roots are in
one class. The rounds stop then, or when nothing new is found, or when the budget is spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import islice, zip_longest
from typing import Literal, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.egraph.class_ids import Namer
from hecv.egraph.programs.guided_expansion import Guide
from hecv.egraph.programs.operand_bags import Bags, Families
from hecv.egraph.programs.poison_neutral_laws import declare
from hecv.egraph.programs.program_extraction import Reader
from hecv.egraph.programs.program_nodes import WIDEST, Programs
from hecv.egraph.programs.program_reduction import SCALARS, Reducer, Standing, normalised
from hecv.egraph.session import Goal, Limits, Session
from hecv.laws.all_laws import LAWS
from hecv.patterns.calculus.loop_rules import LoopRule
from hecv.patterns.equations.law_record import Law
from hecv.program.structural_equality import anonymous
from hecv.program.tree import Block, Call, Function, If, Loop, Statement, While, walk
from hecv.theorems.schedules.block_accesses import operands
from hecv.theorems.schedules.name_normalisation import Names, theorem_form
from hecv.theorems.schedules.no_wrap_premises import Unshown
from hecv.theorems.schedules.schedule_tree import rewritten
from hecv.theorems.schedules.theorem_instance import Applied, Instance, Scheduled

Answer = TypeVar("Answer")
Reason = Literal["saturated", "iteration-limit", "node-limit", "time-limit", "exact-arithmetic"]
"""Why a search stopped; `exact-arithmetic`: index arithmetic in a condition may wrap."""


ITERATIONS = 8
"""The most iterations of the static laws in one round."""

GROWTH, MARGIN = 3, 1_000
"""Laws stop in a round when there are so many times the e-nodes that there were, and so many more."""

MAX_FORMS = 8
"""The most forms of one program that are tried in a round."""


class Budgets(Struct, frozen=True):
    """The budgets of a proof; `without_loops` is the one of e-nodes where no theorem can use what laws prove."""

    rounds: int = 6
    nodes: int = 500_000
    seconds: float = 20.0
    without_loops: int = 500_000


class Statistics(Struct, frozen=True):
    """The cost of a proof: `rules` counts the uses of each theorem and law, `seconds_by_phase` the time."""

    rounds: int
    classes: int
    nodes: int
    rules: dict[str, int]
    seconds_by_phase: dict[str, float]


class Equal(Struct, frozen=True):
    """The programs are equal: the same memory and results for all inputs, and undefined on the same inputs."""

    statistics: Statistics


class Stuck(Struct, frozen=True):
    """No proof was found. `source` and `target` are statements where the programs still differ.

    If a limit ended the search, `most` is the theorem or law that used most of it: e-nodes, or seconds.
    """

    reason: Reason
    source: int | None
    target: int | None
    statistics: Statistics
    most: str | None = None


class Equation(Struct, frozen=True):
    """A theorem that was used, and where."""

    of: Scheduled | Applied
    place: Standing


class Steps(Struct):
    """The equalities that a proof entered: theorems, and terms with their simplest equal terms."""

    equations: list[Equation] = field(default_factory=list[Equation])
    terms: list[tuple[Term, Term]] = field(default_factory=list[tuple[Term, Term]])


class Search(Struct):
    """The state of one goal: the e-graph, what was entered, and the cost."""

    pool: TermPool
    goal: Goal
    programs: Programs
    budgets: Budgets
    started: float = field(default_factory=time.process_time)
    rules: dict[str, int] = field(default_factory=dict[str, int])
    phases: dict[str, float] = field(default_factory=dict[str, float])
    entered: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    grown: dict[str, int] = field(default_factory=dict[str, int])
    spent: dict[str, float] = field(default_factory=dict[str, float])
    record: Steps | None = None
    full: bool = False
    """Whether the e-graph has no room left for laws."""

    def same(self, left: Block, right: Block) -> bool:
        """Whether both are the same block, node for node."""
        return self.programs.block(left) == self.programs.block(right)

    def exhausted(self) -> bool:
        """Whether time or nodes are used up."""
        return self.reason() is not None

    def reason(self) -> Reason | None:
        """The budget that is spent, if any."""
        if time.process_time() - self.started > self.budgets.seconds:
            return "time-limit"
        return "node-limit" if self.full or self.goal.next_id > self.budgets.nodes else None

    def apply(self, instance: Instance, place: Standing) -> bool:
        """Enters the equality if its obligations hold; returns whether they do."""
        begun, nodes = time.process_time(), self.goal.next_id
        try:
            return self._apply(instance, place)
        finally:
            self.took(instance.name, time.process_time() - begun, self.goal.next_id - nodes)

    def took(self, name: str, seconds: float, nodes: int) -> None:
        """Records the cost of a theorem or law."""
        self.spent[name] = self.spent.get(name, 0.0) + seconds
        self.grown[name] = self.grown.get(name, 0) + nodes

    def most(self, reason: Reason) -> str | None:
        """The theorem or law that used most of the budget that ended the search; None if no limit did."""
        match reason:
            case "node-limit":
                return max(self.grown, key=lambda name: self.grown[name], default=None)
            case "time-limit":
                return max(self.spent, key=lambda name: self.spent[name], default=None)
            case "iteration-limit":
                return max(self.rules, key=lambda name: self.rules[name], default=None)
            case _:
                return None

    def _apply(self, instance: Instance, place: Standing) -> bool:
        if self.timed("obligations", instance.broken) is not None:
            return False
        whole = place.program if place.inside else None
        sides = ((*instance.before, *place.rest), (*instance.after, *place.rest))
        before, after = (self.programs.block(b if whole is None else whole(b)) for b in sides)
        if before != after and (before, after) not in self.entered:
            self.entered.add((before, after))
            self.goal.equate([(before, after)])
            if self.record is not None:
                self.record.equations.append(Equation(instance.of, place))
            self.rules[instance.name] = self.rules.get(instance.name, 0) + 1
        return True

    def timed(self, phase: str, act: Callable[[], Answer]) -> Answer:
        """The result of `act`; its time is charged to the phase."""
        begun = time.process_time()
        try:
            return act()
        finally:
            self.phases[phase] = self.phases.get(phase, 0.0) + time.process_time() - begun


def prove_by_theorems(
    pool: TermPool,
    source: Function,
    target: Function,
    assumptions: Sequence[Term] = (),
    budgets: Budgets = Budgets(),
    *,
    static: bool = True,
    dynamic: bool = True,
    laws: Sequence[Law] = LAWS,
    loops: Sequence[LoopRule] = (),
    record: Steps | None = None,
) -> Equal | Stuck:
    """Decides whether the functions are equal by the theorems and loop rules (`dynamic`) and the `laws` (`static`).

    `record` collects what was entered. `assumptions` are i1 terms over arguments and extents that hold.
    Raises: EngineFailure, Contradiction, NotAffine if an assumption is not affine.
    """
    session = Session()
    session.prepare(range(WIDEST + 1))
    names = Names()
    try:
        bodies = [theorem_form(pool, names, f, tuple(assumptions)) for f in (source, target)]
    except Unshown:
        return Stuck("exact-arithmetic", None, None, Statistics(0, 0, 0, {}, {}))
    if not any(isinstance(s, Loop | While) for b in bodies for s in walk(b)):
        budgets = replace(budgets, nodes=min(budgets.nodes, budgets.without_loops))
    terms = postorder(tuple(t for b in bodies for s in walk(b) for t in operands(s)))
    # What a function without a body is given it may look at bit by bit.
    called = any(isinstance(s, Call) for b in bodies for s in walk(b))
    chained = declare(session, laws if static else (), terms, called)
    with session.goal() as goal:
        search = Search(pool, goal, Programs(pool, session, goal), budgets, record=record)
        given = [anonymous(b) for b in bodies]
        return _Rounds(search, tuple(bodies), given, tuple(assumptions), static, dynamic, tuple(loops), chained).run()


class _Rounds(Struct):
    """`given` are the programs as they came, `bodies` as far as they have been brought."""

    search: Search
    given: tuple[Block, ...]
    bodies: list[Block]
    assumptions: tuple[Term, ...]
    static: bool
    dynamic: bool
    loops: tuple[LoopRule, ...]
    chained: Families
    cut: bool = False
    """Whether forms of a program were left out because there were too many."""

    def run(self) -> Equal | Stuck:
        """Rounds until the roots are equal, nothing new is found, or a budget is used up."""
        search = self.search
        roots = [search.programs.block(b) for b in self.bodies]
        for done in range(search.budgets.rounds):
            self._reduce()
            changed = False
            for step in (self._expand, self._saturate):
                if search.timed("equality", lambda: search.goal.equal(*roots)):
                    return Equal(_statistics(search, done + 1))
                if search.exhausted():
                    break
                changed = step()
            if search.goal.equal(*roots):
                return Equal(_statistics(search, done + 1))
            if not changed or search.exhausted():
                return self._stuck(search.reason() or ("iteration-limit" if self.cut else "saturated"), done + 1)
        return self._stuck("iteration-limit", search.budgets.rounds)

    def _stuck(self, reason: Reason, rounds: int) -> Stuck:
        source, target = self._apart(*self.given)
        search = self.search
        taken = _statistics(search, rounds)
        return Stuck(reason, source and source.id, target and target.id, taken, search.most(reason))

    def _apart(self, source: Block, target: Block) -> tuple[Statement | None, Statement | None]:
        """The first statements in which the programs differ, looked for inside loops with equal headers."""
        search = self.search

        def same(one: Statement, two: Statement) -> bool:
            return search.goal.equal(*(search.programs.block(anonymous((s,))) for s in (one, two)))

        for one, two in zip_longest(source, target):
            if one is not None and two is not None and same(one, two):
                continue
            match one, two:
                case Loop(), Loop() if _header(one) == _header(two):
                    inside = self._apart(one.body, two.body)
                case If(), If() if one.condition is two.condition:
                    inside = self._apart((*one.then, *one.otherwise), (*two.then, *two.otherwise))
                case _:
                    return one, two
            return inside if inside != (None, None) else (one, two)
        return None, None

    def _reduce(self) -> None:
        """Brings the programs to fewer loops; and, beside them, to loops that count from 0 by 1."""
        if not self.dynamic:
            return
        search = self.search
        for side, body in enumerate(self.bodies):
            self.bodies[side] = Reducer(search.pool, search, self.assumptions).program(body)
            normalised(search.pool, search, self.bodies[side], self.assumptions)

    def _expand(self) -> bool:
        """Expands each program towards the other, in forms that are kept beside it."""
        for side in (0, 1) if self.dynamic else ():
            self._expand_towards(self.bodies[side], self.bodies[1 - side])
        return False

    def _expand_towards(self, program: Block, other: Block) -> None:
        """Forms of a program, those nearest to the other one first."""
        search = self.search
        guide = Guide(search.pool, search, self.assumptions, self.loops)
        forms = [program]
        queue = [(guide.distance(program, other), 0)]
        for _ in range(MAX_FORMS):
            if not queue or search.exhausted():
                return
            before, number = heappop(queue)
            for proposed in islice(guide.proposed(forms[number], other), MAX_FORMS):
                for attempts in (SCALARS, None):
                    form = Reducer(search.pool, search, self.assumptions, attempts).program(proposed)
                    if form not in forms:
                        normalised(search.pool, search, form, self.assumptions)
                        forms.append(form)
                        heappush(queue, (guide.distance(form, other), len(forms) - 1))
            for expanded in islice(guide.expanded(forms[number], other), MAX_FORMS):
                simpler = Reducer(search.pool, search, self.assumptions, SCALARS).program(expanded)
                distance = guide.distance(simpler, other)
                if not distance:
                    return
                if distance <= before and simpler not in forms:
                    normalised(search.pool, search, simpler, self.assumptions)
                    forms.append(simpler)
                    heappush(queue, (distance, len(forms) - 1))
        self.cut |= bool(queue)

    def _saturate(self) -> bool:
        """Runs the laws, and reads the programs back in the simplest terms; answers whether they changed."""
        if not self.static:
            return False
        search = self.search
        count = search.goal.node_count()
        search.full = count > search.budgets.nodes
        if search.full:
            return False
        most = min(search.budgets.nodes, GROWTH * count + MARGIN)
        limits = Limits(ITERATIONS, most, search.started + search.budgets.seconds)
        self._regroup()
        for rules in ("laws", "expanding", "laws"):
            once = Limits(1, limits.nodes, limits.deadline) if rules == "expanding" else limits
            begun, nodes = time.process_time(), search.goal.node_count()
            run = search.timed("static laws", lambda r=rules, o=once: search.goal.run(r, o))
            if run.matches:
                law = max(run.matches, key=lambda name: run.matches[name]).split("@")[0]
                search.took(law, time.process_time() - begun, search.goal.node_count() - nodes)
            for name, count in run.matches.items():
                law = name.split("@")[0]
                search.rules[law] = search.rules.get(law, 0) + count
            self._regroup()
        return search.timed("reading back", self._read_back)

    def _regroup(self) -> None:
        """Merges long chains of one operator that have the same operands."""
        search = self.search
        if not self.chained:
            return
        classes = search.goal.classes()
        namer = Namer(search.goal, classes)
        for one, other, law in Bags(search.programs.session, classes, self.chained).merged:
            names = namer.name(one), namer.name(other)
            if names[0] is not None and names[1] is not None:
                search.goal.equate([(names[0], names[1])])
                search.rules[law] = search.rules.get(law, 0) + 1

    def _read_back(self) -> bool:
        search = self.search
        reader = Reader(search.pool, search.programs.session, search.goal.classes())

        def simplest(term: Term) -> Term:
            number = search.programs.known(term)
            found = None if number is None else reader.term(number)
            if number is None or found is None or found is term:
                return term
            # In one class, up to the order of operands that index arithmetic has in its normal form.
            search.goal.equate([(number, search.programs.term(found))])
            if search.record is not None:
                search.record.terms.append((term, found))
            return found

        before = self.bodies
        self.bodies = [rewritten(b, simplest) for b in before]
        return before != self.bodies


def _header(loop: Loop) -> Loop:
    return replace(loop, id=0, body=())


def _statistics(search: Search, rounds: int) -> Statistics:
    return Statistics(rounds, *search.goal.counts(), search.rules, search.phases)
