"""Proves candidate pairs one by one, in topological order: the cones of both values, down to earlier pairs, are equal.

A proved pair is a cut for later ones: the target's value is read as the source's under its layout. A pair whose proof
fails is never a cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Final

from msgspec import Struct

from hecv.relate.candidate_pairs import Candidate
from hecv.relate.graphs.cones import Cones
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.layouts import Layout, identity
from hecv.relate.obligations import Answer
from hecv.relate.rule_statement import SynthesisedRule
from hecv.tensors.comprehension import Comprehension, Scalar, leaf, select
from hecv.tensors.definitions import Undefined
from hecv.tensors.definitions.op_definition import is_integer
from hecv.tensors.graph_values import operands_of
from hecv.tensors.index_terms import Index, inside
from hecv.tensors.tensor_graph import Ref, TensorType

MOST_DROPPED: Final = 2
"""Cuts, at most, that are inlined after all where a proof fails."""

MOST_WITHOUT_CUTS: Final = 64
"""Values, at most, that two values are computed from whose proof is tried without any cut."""


OPAQUE: Final = "opaque op"
"""The assumption that an op without a definition is a function of its operands."""

MakeRule = Callable[[Candidate, Collection[str], Mapping[str, Candidate]], SynthesisedRule | None]
"""The rule that a pair states, given the source's cuts and the pairs that are cuts of the target."""

Prove = Callable[[Sequence[Index], Scalar, Scalar], Answer]
"""Proves that two elements are equal for all values of the indices."""


class Unproved(Struct, frozen=True):
    """A candidate pair without a proof, and where the proof stopped."""

    pair: Candidate
    gap: str


class Firing(Struct, frozen=True):
    """A rule, the pair of values that it was made of, whether that is proved, and what the proof assumes."""

    rule: SynthesisedRule
    pair: Candidate
    proved: bool
    assumed: tuple[str, ...] = ()


class PairProofs:
    """The pairs of two graphs that are proved so far, and the rules that they state. Cones that state a rule of
    `known` keys are tried before others. Without `cuts` cones go down to the leaves."""

    def __init__(
        self,
        source: tuple[GraphIndex, Cones],
        target: tuple[GraphIndex, Cones],
        prove: Prove,
        deadline: float,
        sizes: tuple[Index, ...] = (),
        make_rule: MakeRule = lambda pair, source, target: None,
        known: Collection[str] = (),
        cuts: bool = True,
    ) -> None:
        """`sizes` are the index variables of symbolic sizes: proofs are for all of their values."""
        self._sizes: Final = sizes
        self._source_index, self._source = source
        self._target_index, self._target = target
        self._prove: Final = prove
        self._deadline: Final = deadline
        self._make_rule: Final = make_rule
        self._known: Final = known
        self._cutting: Final = cuts
        self.fired: Final[list[Firing]] = []
        self._source_cuts: Final[dict[str, Comprehension]] = {}
        self._target_cuts: Final[dict[str, Comprehension]] = {}
        self.proved: Final[dict[str, Candidate]] = {}
        self.unproved: Final[list[Unproved]] = []
        self.methods: Final[Counter[str]] = Counter()
        self.assumed: Final[Counter[str]] = Counter()

    def prove(self, pair: Candidate) -> bool:
        """Proves a pair, which then is a cut; notes why not otherwise."""
        gap = "" if perf_counter() < self._deadline else "the time limit"
        if not gap:
            found = self._attempts(pair)
            gap = found if isinstance(found, str) else ""
        if gap:
            self.unproved.append(Unproved(pair, gap))
            self._fire(pair, frozenset(), True, False)
            return False
        self.proved[pair.target] = pair
        if not self._cutting:
            return True
        kind = self._source_index.type_of(pair.source)
        read = self._source_cuts.setdefault(pair.source, leaf(pair.source, kind.shape, kind.element))
        if pair.target in self._target_index.makers:
            shape = self._target_index.type_of(pair.target).shape
            self._target_cuts[pair.target] = pair.layout.applied(read, shape)
        return True

    def prove_output(self, source: str, target: str, layout: Layout | None = None) -> str:
        """Proves two values equal, element by element if no layout is given; empty, or where the proof stopped."""
        shape = self._target_index.type_of(target).shape
        found = self._attempts(Candidate(target, source, layout or identity(shape)), whole=False)
        return found if isinstance(found, str) else ""

    def _attempts(self, pair: Candidate, whole: bool = True) -> str | Answer:
        """The answer that proves a pair, or why there is none. With `whole` the values themselves are no
        cuts."""
        gap = ""
        try:
            for dropped, target, source in self._cones(pair, whole):
                indices, element = target.generic()
                counterpart = source[pair.layout.indices(indices)]
                below = inside(indices, target.shape)
                element, counterpart = select(below, element, 0), select(below, counterpart, 0)
                answer = self._prove((*indices, *self._sizes), element, counterpart)
                if answer.proved:
                    self._count(answer)
                    self._fire(pair, dropped, whole, True, tuple(name for name, _ in answer.assumptions))
                    return answer
                gap = gap or answer.gap
        except Undefined as problem:
            if perf_counter() > self._deadline:
                return "the time limit"
            return _CONGRUENT if self._is_congruent(pair) else str(problem)
        return gap or "no proof was found"

    def _is_near_leaves(self, pair: Candidate) -> bool:
        above = self._source_index.above(pair.source), self._target_index.above(pair.target)
        return max(map(len, above)) <= MOST_WITHOUT_CUTS

    def _cones(self, pair: Candidate, whole: bool) -> Iterator[tuple[frozenset[str], Comprehension, Comprehension]]:
        """Cones to try: what is dropped, and both values."""
        if not self._known:
            yield from self._growing(pair, whole)
            return
        cones: list[tuple[bool, tuple[frozenset[str], Comprehension, Comprehension]]] = []
        problem: Undefined | None = None
        try:
            for cone in self._growing(pair, whole):
                rule = self._rule_of(pair, cone[0], whole)
                cones.append((rule is None or rule.key not in self._known, cone))
        except Undefined as found:
            problem = found
        yield from (cone for _, cone in sorted(cones, key=lambda c: c[0]))
        if problem is not None:
            raise problem

    def _growing(self, pair: Candidate, whole: bool) -> Iterator[tuple[frozenset[str], Comprehension, Comprehension]]:
        """The coarsest cones first, then those without the last cuts, one by one, and at last without any."""
        dropped = frozenset[str]()
        for _ in range(MOST_DROPPED + 1):
            target, frontier = self._target.value(pair.target, self._target_cuts, dropped, whole)
            source, _ = self._source.value(pair.source, self._source_cuts, self._hidden(dropped), whole)
            yield dropped, target, source
            if not frontier:
                break
            dropped |= {frontier[-1]}
        if (self._source_cuts or self._target_cuts) and self._is_near_leaves(pair):
            whole_cones = self._target.value(pair.target, {})[0], self._source.value(pair.source, {})[0]
            yield frozenset(self.proved), *whole_cones

    def _hidden(self, dropped: frozenset[str]) -> frozenset[str]:
        return frozenset(self.proved[name].source for name in dropped)

    def _rule_of(self, pair: Candidate, dropped: frozenset[str], whole: bool) -> SynthesisedRule | None:
        hidden = self._hidden(dropped) | ({pair.source} if whole else set())
        apart = dropped | ({pair.target} if whole else set())
        source = self._source_cuts.keys() - hidden
        return self._make_rule(pair, source, {n: self.proved[n] for n in self._target_cuts if n not in apart})

    def _fire(
        self, pair: Candidate, dropped: frozenset[str], whole: bool, proved: bool, assumed: tuple[str, ...] = ()
    ) -> None:
        rule = self._rule_of(pair, dropped, whole)
        if rule is not None:
            self.fired.append(Firing(rule, pair, proved, assumed))

    def _count(self, answer: Answer) -> None:
        self.methods[answer.method] += 1
        for name, count in answer.assumptions:
            self.assumed[name] += count

    def _is_congruent(self, pair: Candidate) -> bool:
        with suppress(Undefined):  # whether symbolic sizes agree may depend on them
            return self._congruent(pair)
        return False

    def _congruent(self, pair: Candidate) -> bool:
        """Whether one op without a definition is applied to equal operands on both sides."""
        ours, theirs = self._source_index.node_of(pair.source), self._target_index.node_of(pair.target)
        if ours is None or theirs is None or ours.op != theirs.op or not pair.layout.is_identity:
            return False
        place = self._source_index.makers[pair.source][1], self._target_index.makers[pair.target][1]
        same = _without_values(ours.operands), _without_values(tuple(ours.keywords.items()))
        if place[0] != place[1] or same != (
            _without_values(theirs.operands),
            _without_values(tuple(theirs.keywords.items())),
        ):
            return False
        pairs = [*zip(operands_of(ours), operands_of(theirs), strict=True)]
        of_one_type = (
            _is_of_type(self._source_index.type_of(a), self._target_index.type_of(b))
            for a, b in (*pairs, (pair.source, pair.target))
        )
        equal = all(of_one_type) and all(not self.prove_output(a, b) for a, b in pairs)
        if equal:
            self.methods["congruence"] += 1
            self.assumed[OPAQUE] += 1
        return equal


def _is_of_type(one: TensorType, other: TensorType) -> bool:
    """Whether tensors have one shape and one type of elements. Floats of all widths are numbers."""
    alike = one.element == other.element or not (is_integer(one.element) or is_integer(other.element))
    return one.shape == other.shape and alike


_CONGRUENT: Final = Answer(True, "congruence")


def _without_values(operand: object) -> object:
    """An operand with a mark in the place of each value."""
    if isinstance(operand, Ref):
        return Ref
    return tuple(map(_without_values, operand)) if isinstance(operand, tuple) else (type(operand), operand)
