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

from hecv.refine.clean_expressions import (
    Expression,
    Join,
    Tensor,
    Unclean,
    comprehension_of,
    covers,
    distinct,
    replaced,
    replications,
    shape_of,
    solved,
    tensors_in,
)
from hecv.refine.derived_laws import Law, LawBook
from hecv.refine.rank_candidates import Candidates
from hecv.relate.graphs.cone_keys import ConeKeys
from hecv.relate.graphs.cones import Cones
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.obligations import Answer, Obligations
from hecv.tensors.comprehension import Comprehension, Read, Real, RealLiteral, Reduce, Scalar, leaf, select
from hecv.tensors.definitions import Undefined
from hecv.tensors.definitions.op_definition import is_integer
from hecv.tensors.index_terms import Index, inside, is_empty, single_indices
from hecv.tensors.substitution import subterms

ONE: Final = Fraction(1)

LONGEST_OF_INTEGERS: Final = 64
"""Terms, at most, of an index or a mask that is read by its definition."""

MOST_DROPPED: Final = 2
"""How often, at most, related values are inlined after all where a proof fails: first those that one side alone reads,
the sequential program's before the ranks'."""


class Related(Struct, frozen=True):
    """What a sequential value is equal to."""

    value: str
    expressions: tuple[Expression, ...]


class Gap(Struct, frozen=True):
    """Why a relation is not proved."""

    text: str


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
        self._cones, self._joined = sequential[1], joined[1]
        self.names: Final = names
        self._prove: Final = prover.prove
        self._keys: Final = ConeKeys(prover.known)
        self._proved: Final[dict[Hashable, tuple[Answer, ...]]] = {}
        self._deadline: Final = deadline
        self._used = names
        self._factors: Final = _multiples(len(names))
        self._cuts: Final[dict[str, Comprehension]] = {}
        self._joined_cuts: Final[dict[str, Comprehension]] = {}
        self._owners: Final[dict[str, tuple[str, Fraction]]] = {}
        """By tensor of a rank: the sequential value of which it is read as a part, and the multiple of it."""
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
        self._cut(name, expression, factor)

    def _cut(self, name: str, expression: Expression, factor: Fraction = ONE) -> None:
        """Reads the tensors of an expression as parts of the sequential value times a factor, where it determines
        them."""
        try:
            whole = self._cuts.get(name) or self._twin(expression, factor) or self._leaf(name)
            found = solved(expression, _scaled(whole, factor), self._shape)
        except Undefined:  # which part it is depends on a size
            return
        if found is None:
            return
        self._cuts[name] = whole
        for tensor, part in found.items():
            joined = self._joined_name(tensor)
            if joined in self.joined.makers and joined not in self._joined_cuts:
                self._joined_cuts[joined] = part
                self._owners[joined] = name, factor

    def _twin(self, expression: Expression, factor: Fraction) -> Comprehension | None:
        """What another sequential value, or a multiple of it, is read as, where the expression has its parts."""
        joined = [self._joined_name(t) for t in distinct(expression)]
        owners = {self._owners.get(name) for name in joined}
        owner = owners.pop() if len(owners) == 1 else None
        if owner is None or len(set(joined)) < len(joined) or not covers(expression):
            return None  # a part that stands twice says nothing of the elements at its other place
        whole = _scaled(self._cuts[owner[0]], owner[1] / factor)
        try:
            fits = self._size(expression) == whole.shape
            found = solved(expression, _scaled(whole, factor), self._shape) if fits else None
        except (Unclean, Undefined):
            return None
        for tensor, part in (found or {}).items():
            indices, element = part.generic()
            if self._joined_cuts[self._joined_name(tensor)][indices] is not element:
                return None
        return whole if found else None

    def _shape(self, tensor: Tensor) -> tuple[int, ...]:
        return self.joined.type_of(self._joined_name(tensor)).shape

    def _size(self, expression: Expression) -> tuple[int, ...]:
        return shape_of(expression, self._shape)

    def _leaf(self, name: str) -> Comprehension:
        """What a related value is read as from now on: an element of its own, unless it only moves elements, or is an
        index or a mask that is computed from integers."""
        value, _ = self._cones.value(name, self._cuts, frozenset(), False)
        element = value.generic()[1]
        plain = isinstance(element, Read | RealLiteral | Real)
        if plain or (is_integer(value.element) and self._is_of_integers(element)):
            return value
        return leaf(name, value.shape, value.element)

    def read_as(self, name: str) -> Comprehension | None:
        """What a sequential value is read as; none if an op above it has no definition."""
        try:
            return self._cones.value(name, self._cuts)[0]
        except Undefined:
            return None

    def joined_value(self, name: str) -> Comprehension:
        """What a value of the joined graph is read as.

        Raises: Undefined if an op above it has no definition.
        """
        return self._joined.value(name, self._joined_cuts)[0]

    def part_of(self, name: str) -> str | None:
        """The sequential value of which a value of the joined graph is a part."""
        owner, factor = self._owners.get(name, (None, ONE))
        return owner if factor == 1 else None

    def _passed(self) -> set[str]:
        """The values that are related, and those that related ones are computed from."""
        found = set(self.related)
        fixed = {n for n in found if n in self._cuts and isinstance(self._cuts[n].generic()[1], RealLiteral)}
        for node in reversed(self.sequential.graph.nodes):
            for name in node.results:
                if name in found and name not in fixed:
                    found.update(self.sequential.operands_of(name))
        return found

    def _is_arithmetic(self, name: str) -> bool:
        """Whether a value is an index or a mask that is computed from integers."""
        try:
            value, _ = self._cones.value(name, self._cuts, frozenset(), False)
        except Undefined:
            return False
        return is_integer(value.element) and self._is_of_integers(value.generic()[1])

    def _is_of_integers(self, element: Scalar) -> bool:
        """Whether a term is short and reads nothing but integers."""
        terms = subterms(element)
        if len(terms) > LONGEST_OF_INTEGERS or any(isinstance(t, Reduce) for t in terms):
            return False
        return all(self._is_integer(t.tensor) for t in terms if isinstance(t, Read))

    def _is_integer(self, leaf: str) -> bool:
        """Whether a leaf of terms is a value of the sequential program, of integers."""
        known = leaf in self.sequential.makers or leaf in self.sequential.leaves
        return known and is_integer(self.sequential.type_of(leaf).element)

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
        key = self._key(None, list(different.values()), False)
        if self._again(key):
            return None
        answers = list[Answer]()
        try:
            first, *others = (self._expression(e, frozenset(), False)[0] for e in different.values())
            indices, element = first.generic()
            for other in others:
                if other.shape != first.shape:
                    return Gap(f"sizes {list(first.shape)} and {list(other.shape)}")
                gap, answer = self._asked(indices, first.shape, element, other[indices])
                if gap is not None:
                    return gap
                answers += [answer] if answer else []
        except Undefined as problem:
            return Gap(str(problem))
        self._keep(key, answers)
        return None

    def _key(
        self, name: str | None, expressions: Sequence[Expression], fresh: bool, factor: Fraction = ONE
    ) -> Hashable:
        """A value, its factor and expressions but for the names of leaves; none where there is no such key."""
        key = self._keys.new()
        tensors = [t for e in expressions for t in tensors_in(e)]
        places = {t: Tensor("", k) for k, t in enumerate(dict.fromkeys(tensors))}
        try:
            if name is not None:
                key.add(self._cones, name, self._cuts)
            for t in places:
                key.add(self._joined, self._joined_name(t), self._joined_cuts, fresh)
        except Undefined:
            return None
        return key.made((factor, *(replaced(e, places.__getitem__) for e in expressions)))

    def _again(self, key: Hashable) -> bool:
        """Whether what has this key was proved."""
        found = self._proved.get(key) if key is not None else None
        for answer in found or ():
            self._count(answer)
        return found is not None

    def _keep(self, key: Hashable, answers: Sequence[Answer]) -> None:
        for answer in answers:
            self._count(answer)
        if key is not None:
            self._proved[key] = tuple(answers)

    def _equal(self, name: str, expression: Expression, fresh: bool, factor: Fraction) -> Gap | None:
        """Proves the equation as it stands, then with what only one side reads inlined, then with one more cut of each
        side inlined at a time."""
        none = frozenset[str]()
        key = self._key(name, [expression], fresh, factor)
        if self._again(key):
            self._last = self._law(name, expression, none, none, factor) if fresh else None, True
            return None
        gap: Gap | None = None
        dropped, hidden = none, none
        frontier, met = tuple[str, ...](), tuple[str, ...]()
        first = frontier, met
        guessed = False
        for attempt in range(MOST_DROPPED + 3):
            try:
                right, met = self._expression(expression, dropped, fresh)
                left, frontier = self._cones.value(name, self._cuts, hidden, False)
                found, answer = self._ask(_scaled(left, factor), right)
                if found is None:
                    self._last = self._law(name, expression, hidden, dropped, factor) if fresh else None, False
                    self._keep(None if attempt else key, [answer] if answer else [])
                    return None
                gap = gap or found
                if not attempt:
                    first = frontier, met
                    hidden, dropped = self._alone(left, right, frontier, met)
                    guessed = bool(hidden or dropped)
                    if guessed:
                        continue
            except Undefined as problem:
                if attempt != 1 or not guessed:
                    return gap or Gap(str(problem))
            if attempt == 1 and guessed:
                (frontier, met), hidden, dropped = first, none, none
            if not frontier and not met:
                break
            hidden |= frozenset(frontier[-1:])
            if attempt > guessed or name not in self._cuts:
                dropped |= frozenset(met[-1:])
        return gap

    def _law(
        self, name: str, expression: Expression, hidden: frozenset[str], dropped: frozenset[str], factor: Fraction
    ) -> Law | None:
        """The law that a proof derived that read past these cuts of both sides."""
        ours = self._cuts.keys() - hidden if hidden else self._cuts
        theirs = self._joined_cuts.keys() - dropped if dropped else self._joined_cuts
        tensors = [self._joined_name(t) for t in tensors_in(expression)]
        return self.laws.law(name, expression, tensors, (ours, theirs), factor)

    def _alone(
        self, left: Comprehension, right: Comprehension, frontier: Sequence[str], met: Sequence[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The cuts of each side that are read as values that the other side does not read."""
        ours, theirs = (_leaves(side.generic()[1]) for side in (left, right))
        hidden = (n for n in frontier if not _leaves(self._cuts[n].generic()[1]) <= theirs)
        dropped = (n for n in met if not _leaves(self._joined_cuts[n].generic()[1]) <= ours)
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

    def _count(self, answer: Answer) -> None:
        for text, count in answer.assumptions:
            self.assumed[text] += count

    def _expression(
        self, expression: Expression, dropped: frozenset[str], inlined: bool
    ) -> tuple[Comprehension, tuple[str, ...]]:
        met: dict[str, None] = {}

        def tensor(t: Tensor) -> Comprehension:
            found, cuts = self._joined.value(self._joined_name(t), self._joined_cuts, dropped, inlined)
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
                if not self._is_arithmetic(name):
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


def _scaled(value: Comprehension, factor: Fraction) -> Comprehension:
    if factor == 1:
        return value
    return Comprehension(value.shape, lambda *i: value[i] * factor, value.element)


def _is_sum(expression: Expression) -> bool:
    return isinstance(expression, Join) and expression.kind == "sum"
