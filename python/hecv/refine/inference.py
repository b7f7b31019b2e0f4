"""Infers clean relations: the sequential graph in topological order, one value after the other, each related to tensors
of the ranks (GraphGuard, section 4).

A value's relation is proposed from runs and proved from the definitions of the ops between it and what is related
already. Where the relation determines the tensors of the ranks, these are read as parts of the sequential value from
then on, so that proofs stay short.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from time import perf_counter
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.refine.clean_expressions import (
    Expression,
    Join,
    Tensor,
    comprehension_of,
    replaced,
    replications,
    tensors_in,
)
from hecv.refine.derived_laws import Law, LawBook
from hecv.refine.rank_candidates import Candidates
from hecv.refine.value_cuts import ONE, ValueCuts, scaled
from hecv.relate.graphs.cone_keys import ConeKeys
from hecv.relate.graphs.cones import Cones
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.obligations import Answer, Obligations
from hecv.tensors.algebra.obligation_cache import renamed
from hecv.tensors.comprehension import Comprehension, Read, RealLiteral, Scalar, select
from hecv.tensors.definitions import Undefined
from hecv.tensors.index_terms import Index, inside, is_empty, single_indices
from hecv.tensors.substitution import subterms

MOST_DROPPED: Final = 2
"""How often, at most, related values are inlined after all where a proof fails: first those that one side alone reads,
the sequential program's before the ranks'."""

NONE: Final = frozenset[str]()


class Related(Struct, frozen=True):
    """What a sequential value is equal to."""

    value: str
    expressions: tuple[Expression, ...]


class Gap(Struct, frozen=True):
    """Why a relation is not proved."""

    text: str


class Problem(Struct, frozen=True):
    """An equation to prove: its key, the leaves of its cones in order, and the cuts at which they end, those of each
    tensor of the ranks apart. Problems with the same key differ in the names of leaves alone."""

    key: Hashable
    leaves: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[tuple[str, ...], ...]


class Outcome(Struct, frozen=True):
    """The proof of a problem, by its answers, or the gap where the proof stopped, `undefined` if an op has no
    definition; and which of the cuts of both sides one side alone reads, by their places in the problem."""

    gap: Gap | None
    answers: tuple[Answer, ...]
    leaves: tuple[str, ...] = ()
    undefined: bool = False
    ours: tuple[int, ...] = ()
    theirs: tuple[tuple[int, int], ...] = ()


class Attempt(Struct, frozen=True):
    """One attempt to prove an equation: why it failed, the cuts at which both sides end, those that one side alone
    reads, and whether the outcome is that of a problem before."""

    gap: Gap | None
    undefined: bool
    again: bool
    ends: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    alone: tuple[frozenset[str], frozenset[str]] = (NONE, NONE)


class Inference:
    """The relations between a sequential graph and the joined graph of the ranks that are known so far.

    `names` has, by rank, the name in the joined graph of each value of the rank, `given` the relations of the tensors
    that the programs are given.
    """

    def __init__(
        self,
        sequential: tuple[GraphIndex, Cones],
        joined: tuple[GraphIndex, Cones],
        names: Sequence[Mapping[str, str]],
        prover: Obligations,
        deadline: float,
        given: Mapping[str, tuple[Expression, ...]],
        sizes: tuple[Index, ...] = (),
    ) -> None:
        """`sizes` are the index variables of symbolic sizes: proofs are for all of their values."""
        self.sizes: Final = sizes
        self.sequential: Final = sequential[0]
        self.joined: Final = joined[0]
        self._sides: Final = sequential[1], joined[1]
        self.names: Final = names
        self._prove: Final = prover.prove
        self._keys: Final = ConeKeys(prover.known)
        self._cuts: Final = ValueCuts(*self._sides, self._keys)
        self._outcomes: Final[dict[Hashable, Outcome]] = {}
        """Cache of outcomes, by the keys of problems. A gap holds for later problems with the same key too, since these
        have no more seconds; one that the time limit made is not kept."""
        self._deadline: Final = deadline
        self._used = names
        self._factors: Final = _multiples(len(names))
        self.laws: Final = LawBook(self.sequential, self.joined, given)
        self._last: tuple[Law | None, bool] = None, False
        self.related: Final[dict[str, Related]] = {}
        self.gaps: Final[dict[str, Gap]] = {}
        self.assumed: Final[Counter[str]] = Counter()

    def infer(self, candidates: Candidates, values: Sequence[Mapping[str, Any]]) -> None:
        """Relates all values of the sequential graph that an input or a parameter changes, as far as it goes."""
        for node in self.sequential.graph.nodes:
            for name in node.results:
                if (
                    name not in self.sequential.varying
                    or name not in self.sequential.live
                    or perf_counter() > self._deadline
                ):
                    continue
                mine = [run[name] for run in values]
                if not mine[0].size:
                    continue
                found = candidates.of(mine, "" if name.startswith("%") else name)
                self._relate(name, found)
                if not found and mine[0].dtype.kind == "f":
                    self._carry(name, candidates, mine)

    def _carry(self, name: str, candidates: Candidates, values: Sequence[Any]) -> None:
        """Reads tensors of the ranks as parts of a multiple of a value: a gradient of a mean over a rank's part of the
        batch is as many times that of the whole mean as there are parts, until it is averaged. That is no clean
        relation, and the value stays without one."""
        for factor in self._factors:
            for expression in candidates.of([value * float(factor) for value in values]):
                if self.prove(name, expression, fresh=True, factor=factor) is None:
                    self._use(name, expression, factor)
                    return

    def _relate(self, name: str, expressions: Sequence[Expression]) -> None:
        proved: list[Expression] = []
        for expression in expressions:
            if proved and _is_sum(expression):
                continue
            gap = self.prove(name, expression, fresh=True)
            if gap is None:
                proved.append(expression)
                self._use(name, expression)
            else:
                self.gaps.setdefault(name, gap)
        if proved:
            self.related[name] = Related(name, tuple(proved))

    def _use(self, name: str, expression: Expression, factor: Fraction = ONE) -> None:
        """Notes what was proved last, with its law, and reads the tensors of the ranks by it from now on."""
        law, again = self._last
        if law is not None:
            self.laws.use(law, name, again)
        self.laws.relate(name, expression, self._joined_name, factor)
        self._cuts.cut(name, expression, self._joined_name, factor)

    def read_as(self, name: str) -> Comprehension | None:
        """What a sequential value is read as; none if an op above it has no definition."""
        try:
            return self._sides[0].value(name, self._cuts.ours)[0]
        except Undefined:
            return None

    def joined_value(self, name: str) -> Comprehension:
        """What a value of the joined graph is read as.

        Raises: Undefined if an op above it has no definition.
        """
        return self._sides[1].value(name, self._cuts.theirs)[0]

    def part_of(self, name: str) -> str | None:
        """The sequential value of which a value of the joined graph is a part."""
        return self._cuts.part_of(name)

    def _passed(self) -> set[str]:
        """The values that are related, and those that related ones are computed from."""
        found = set(self.related)
        cuts = self._cuts.ours
        fixed = {n for n in found if n in cuts and isinstance(cuts[n].generic()[1], RealLiteral)}
        for node in reversed(self.sequential.graph.nodes):
            for name in node.results:
                if name in found and name not in fixed:
                    found.update(self.sequential.operands_of(name))
        return found

    def _joined_tensor(self, tensor: Tensor) -> Tensor:
        return Tensor(self._joined_name(tensor), 0)

    def _joined_name(self, tensor: Tensor) -> str:
        return self._used[tensor.rank][tensor.name]

    def prove(
        self,
        name: str,
        expression: Expression,
        fresh: bool = False,
        names: Sequence[Mapping[str, str]] | None = None,
        factor: Fraction = ONE,
    ) -> Gap | None:
        """Proves that a sequential value times a factor is equal to an expression, and that the tensors it calls
        replicated are equal; none where it is proved. With `fresh` the tensors of the expression are not read as known.
        `names` has those of the tensors of the expression by rank, if they are not `self.names`."""
        self._used = names or self.names
        gap = self._equal(name, expression, fresh, factor)
        for replicated in replications(expression):
            gap = gap or self._same(replicated.parts)
        return gap

    def _same(self, parts: Sequence[Expression]) -> Gap | None:
        """Proves that expressions over tensors of ranks are equal to the first of them."""
        different = {replaced(e, self._joined_tensor): e for e in parts}
        if len(different) == 1:
            return None
        expressions = list(different.values())
        problem = self._problem(None, expressions, False)
        outcome = self._outcomes.get(problem.key) if problem is not None else None
        if outcome is None:
            outcome = self._keep(problem, self._compared(expressions))
        self._count(outcome)
        return _gap_of(outcome, problem)

    def _compared(self, expressions: Sequence[Expression]) -> Outcome:
        answers = list[Answer]()
        try:
            first, *others = (self._expression(e, NONE, False)[0] for e in expressions)
            indices, element = first.generic()
            for other in others:
                if other.shape != first.shape:
                    return Outcome(Gap(f"sizes {list(first.shape)} and {list(other.shape)}"), ())
                gap, answer = self._asked(indices, first.shape, element, other[indices])
                if gap is not None:
                    return Outcome(gap, ())
                answers += [answer] if answer else []
        except Undefined as problem:
            return Outcome(Gap(str(problem)), ())
        return Outcome(None, tuple(answers))

    # Problems

    def _problem(
        self,
        name: str | None,
        expressions: Sequence[Expression],
        fresh: bool,
        factor: Fraction = ONE,
        hidden: frozenset[str] = NONE,
        dropped: frozenset[str] = NONE,
    ) -> Problem | None:
        """A value, its factor and expressions; none if there is no key of them."""
        key = self._keys.new()
        forms = [self._cuts.form(e, self._joined_name) for e in expressions]
        ours, theirs = tuple[str, ...](), list[tuple[str, ...]]()
        sequential, joined = self._sides
        try:
            if name is not None:
                ours = key.add(sequential, name, self._cuts.ours, hidden)
            for tensor in (t for form in forms for t in form.tensors):
                theirs.append(key.add(joined, self._joined_name(tensor), self._cuts.theirs, dropped, fresh))
        except Undefined:
            return None
        # Which cuts one side alone reads is looked at in the first attempt.
        first = not hidden and not dropped
        made = key.made((name is None, first, factor, *(form.number for form in forms)))
        return Problem(made, key.leaves, ours, tuple(theirs))

    def _keep(self, problem: Problem | None, outcome: Outcome) -> Outcome:
        if problem is None or (outcome.gap is not None and perf_counter() > self._deadline):
            return outcome
        outcome = replace(outcome, leaves=problem.leaves)
        self._outcomes[problem.key] = outcome
        return outcome

    def _equal(self, name: str, expression: Expression, fresh: bool, factor: Fraction) -> Gap | None:
        """Proves the equation as it stands, then with what only one side reads inlined, then with one more cut of each
        side inlined at a time."""
        gap: Gap | None = None
        dropped, hidden = NONE, NONE
        first = ends = tuple[str, ...](), tuple[str, ...]()
        guessed = False
        for number in range(MOST_DROPPED + 3):
            tried = self._attempt(name, expression, fresh, factor, hidden, dropped)
            if tried.gap is None:
                self._last = self._law(name, expression, hidden, dropped, factor) if fresh else None, tried.again
                return None
            if not tried.undefined:
                gap, ends = gap or tried.gap, tried.ends
            elif number != 1 or not guessed:
                return gap or tried.gap
            if not number:
                first, (hidden, dropped) = ends, tried.alone
                guessed = bool(hidden or dropped)
                if guessed:
                    continue
            if number == 1 and guessed:
                ends, hidden, dropped = first, NONE, NONE
            frontier, met = ends
            if not frontier and not met:
                break
            hidden |= frozenset(frontier[-1:])
            if number > guessed or name not in self._cuts.ours:
                dropped |= frozenset(met[-1:])
        return gap

    def _attempt(
        self,
        name: str,
        expression: Expression,
        fresh: bool,
        factor: Fraction,
        hidden: frozenset[str],
        dropped: frozenset[str],
    ) -> Attempt:
        """One attempt, with these cuts of both sides inlined."""
        problem = self._problem(name, [expression], fresh, factor, hidden, dropped)
        known = self._outcomes.get(problem.key) if problem is not None else None
        if known is not None and problem is not None:
            self._count(known)
            ours = frozenset(problem.ours[k] for k in known.ours)
            theirs = frozenset(problem.theirs[k][n] for k, n in known.theirs)
            return Attempt(_gap_of(known, problem), known.undefined, True, self._ends(problem), (ours, theirs))
        gap, answer, undefined, alone, ends = None, None, False, (NONE, NONE), ((), ())
        try:
            right, met = self._expression(expression, dropped, fresh)
            left, frontier = self._sides[0].value(name, self._cuts.ours, hidden)
            ends = frontier, met
            gap, answer = self._ask(scaled(left, factor), right)
            if gap is not None and not hidden and not dropped:
                alone = self._alone(left, right, frontier, met)
        except Undefined as why:
            gap, undefined = gap or Gap(str(why)), True
        outcome = Outcome(gap, (answer,) if answer else (), (), undefined)
        if problem is not None:
            ours = tuple(k for k, cut in enumerate(problem.ours) if cut in alone[0])
            cuts = ((k, n, cut) for k, met in enumerate(problem.theirs) for n, cut in enumerate(met))
            theirs = tuple((k, n) for k, n, cut in cuts if cut in alone[1])
            outcome = self._keep(problem, replace(outcome, ours=ours, theirs=theirs))
        self._count(outcome)
        return Attempt(gap, undefined, False, ends, alone)

    def _ends(self, problem: Problem) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The cuts of both sides, in topological order."""
        sequential, joined = (side.index.makers for side in self._sides)
        met = dict.fromkeys(cut for cuts in problem.theirs for cut in sorted(cuts, key=joined.__getitem__))
        return tuple(sorted(problem.ours, key=sequential.__getitem__)), tuple(met)

    def _law(
        self, name: str, expression: Expression, hidden: frozenset[str], dropped: frozenset[str], factor: Fraction
    ) -> Law | None:
        """The law that a proof derived that read past these cuts of both sides."""
        ours = self._cuts.ours.keys() - hidden if hidden else self._cuts.ours
        theirs = self._cuts.theirs.keys() - dropped if dropped else self._cuts.theirs
        tensors = [self._joined_name(t) for t in tensors_in(expression)]
        return self.laws.law(name, expression, tensors, (ours, theirs), factor)

    def _alone(
        self, left: Comprehension, right: Comprehension, frontier: Sequence[str], met: Sequence[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The cuts of each side that are read as values that the other side does not read."""
        ours, theirs = (_leaves(side.generic()[1]) for side in (left, right))
        hidden = (n for n in frontier if not _leaves(self._cuts.ours[n].generic()[1]) <= theirs)
        dropped = (n for n in met if not _leaves(self._cuts.theirs[n].generic()[1]) <= ours)
        return frozenset(hidden), frozenset(dropped)

    def _ask(self, left: Comprehension, right: Comprehension) -> tuple[Gap | None, Answer | None]:
        if left.shape != right.shape:
            return Gap(f"sizes {list(left.shape)} and {list(right.shape)}"), None
        indices, element = left.generic()
        return self._asked(indices, left.shape, element, right[indices])

    def _asked(
        self, indices: Sequence[Index], shape: Sequence[int], left: Scalar, right: Scalar
    ) -> tuple[Gap | None, Answer | None]:
        if left is right:
            return None, None
        below = inside(indices, shape)
        left, right = select(below, left, 0), select(below, right, 0)
        if perf_counter() > self._deadline:
            return Gap("the time limit"), None
        answer = self._prove((*single_indices(indices), *self.sizes), left, right)
        return (None, answer) if answer.proved else (Gap(answer.gap), None)

    def _count(self, outcome: Outcome) -> None:
        if outcome.gap is None:
            for answer in outcome.answers:
                self.assumed.update(dict(answer.assumptions))

    def _expression(
        self, expression: Expression, dropped: frozenset[str], inlined: bool
    ) -> tuple[Comprehension, tuple[str, ...]]:
        met: dict[str, None] = {}

        def tensor(t: Tensor) -> Comprehension:
            found, cuts = self._sides[1].value(self._joined_name(t), self._cuts.theirs, dropped, inlined)
            met.update(dict.fromkeys(cuts))
            return found

        return comprehension_of(expression, tensor), tuple(met)

    def blocked(self, output: str) -> str | None:
        """The first value that an output depends on, has no relation, and reads only values that have one. A value does
        not count that is an index or a mask of integers, or that a related value is computed from: its proof went past
        it."""
        cone, known = self._cone(output), self._passed()
        varying = self.sequential.varying
        for node in self.sequential.graph.nodes:
            for name in node.results:
                if name not in cone or name not in varying or name in known:
                    continue
                if is_empty(self.sequential.type_of(name).shape):
                    continue
                reads = [o for o in self.sequential.operands_of(name) if o in varying and o in self.sequential.makers]
                if not all(o in known for o in reads):
                    continue
                if not self._cuts.is_arithmetic(name):
                    return name
                known.add(name)
        return None

    def _cone(self, name: str) -> set[str]:
        waiting, found = [name], set[str]()
        while waiting:
            current = waiting.pop()
            if current not in found:
                found.add(current)
                waiting += self.sequential.operands_of(current)
        return found


def _leaves(term: Scalar) -> frozenset[str]:
    return frozenset(t.tensor for t in subterms(term) if isinstance(t, Read))


def _multiples(ranks: int) -> tuple[Fraction, ...]:
    """The multiples of a sequential value that are looked for in the ranks: by the number of ranks, and of those of one
    axis of a mesh."""
    divisors = [n for n in range(ranks, 1, -1) if ranks % n == 0]
    return tuple(f for n in divisors for f in (Fraction(n), Fraction(1, n)))


def _gap_of(outcome: Outcome, problem: Problem | None) -> Gap | None:
    """Why a problem is not proved, in terms of its own leaves."""
    if outcome.gap is None or problem is None or outcome.leaves == problem.leaves:
        return outcome.gap
    return Gap(renamed(outcome.gap.text, dict(zip(outcome.leaves, problem.leaves, strict=True))))


def _is_sum(expression: Expression) -> bool:
    return isinstance(expression, Join) and expression.kind == "sum"
