"""Simulation between the loop headers of two functions, checked.

Both functions are read as paths from one loop header to the next (`hecv.normal.summaries.loop_segments`, which is
trusted). A *relation* belongs to a header of the source and one of the target. It says what the variables of the
target are in terms of those of the source, and what is known of these; the caller's memories, and those of their own
that are paired, are the same. Theorem: the target refines the source if the relation of the two entries has no
condition, and for each relation, for all values of variables, arguments and memory that it allows, wherever the source
takes one of its paths and is defined on it, and the target takes one of its own,

1. the target is defined on its path;
2. both paths end at headers that have a relation, and that relation holds; or both end the functions, with the same
   results.

For then both run in step, path by path, and the target is defined as long as the source is. If the source ends, so does
the target: each goes over a header in each step, but where a move leaves one of them where it is. The moves by which
the other one goes on alone do not form a circle. The source refines the target if the same holds with definedness of
the target assumed, and that of the source shown.

What is the same is compared by refinement: where the source's value is not poison, the target's is not either, and is
equal. Both sides are given the same values of variables and elements, poison included, for which
`hecv.smt.term_refinement` has the argument. A variable, or an element of memory, is known not to be poison where that
holds in both functions, by a least fixpoint over their operators.

Floats are compared without licences, and only where no op shows which NaN a float is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, INDEX, FloatType, IntType, ScalarType
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.certificate.simulation_format import Fact, Kept, Operand, Relation, Simulation, Variable
from hecv.kernel.terms.solvers import Solver
from hecv.kernel.while_induction_check import are_comparable
from hecv.normal.summaries.loop_segments import (
    ENTRY,
    EXIT,
    Contents,
    Origin,
    Path,
    Segments,
    Simplifier,
    Untraceable,
    leaf,
    note,
)
from hecv.ops.facts.poison_conditions import Shapes
from hecv.program.tree import Function, Memory, MemoryKind
from hecv.smt.path_queries import Claim, Defined, Holds, Never, Premises, Proper, Refines, query
from hecv.smt.poison_strictness import needed, suspects

Both = tuple[Function, Function]
Ask = Callable[[str, Premises, Claim], bool]
"""Whether a claim, the name of which is given first, follows from premises."""

PREDICATES: Final = frozenset(("eq", "ne", "slt", "sle", "ult", "ule"))
MOST_HOPS: Final = 16
"""Headers that a move goes over."""
OWN: Final = 1_000_000
"""Numbers of memories: those of the caller's have their argument's, then come constants, memories of the source's own,
and those of the target's own that are not paired."""

Now = Callable[[Variable], Term]
"""What a variable holds."""

What = Literal["path", "value", "fact", "memory", "result"]


class Open(Struct, frozen=True):
    """A claim that is not shown: of the `path` itself, or of what holds where it ends, the variable of the target or
    the number of the fact there."""

    what: What
    text: str
    end: tuple[int, int]
    which: Variable | int | None = None


class Step(Struct, frozen=True):
    """A path of the source and one of the target that may be taken together."""

    source: Path
    target: Path

    @property
    def is_defined(self) -> bool:
        """Whether the source may be defined on its path."""
        return all(literal(d) != 0 for d in self.source.demanded)

    @property
    def end(self) -> tuple[int, int]:
        """Where both end."""
        return self.source.end, self.target.end


def replay_simulation(pool: TermPool, functions: Both, proof: Simulation, solver: Solver, index_width: int) -> bool:
    """Checks that the target refines the source; returns whether the source refines the target too.

    Requires: index arithmetic does not overflow, and the caller's memories do not overlap.
    Raises: Rejected.
    """
    try:
        made = Simulator(pool, functions, proof.memories, index_width, by_solver(solver, index_width))
        if not made.is_well_founded(proof.relations):
            raise Rejected("moves", "one function may go on for ever where the other one stays")
        by_place = made.by_place(proof.relations)
        converse = True
        for relation in proof.relations:
            failure = next(made.failures(relation, by_place, False), None)
            if failure is not None:
                raise Rejected(f"headers {relation.source} and {relation.target}", failure.text)
            converse = converse and next(made.failures(relation, by_place, True), None) is None
    except Untraceable as problem:
        raise Rejected("simulation", str(problem)) from None
    return converse


def by_solver(solver: Solver, index_width: int) -> Ask:
    """Asks a solver about each claim."""

    def ask(step: str, premises: Premises, claim: Claim) -> bool:
        text = query(premises, claim, index_width)
        try:
            solver.require(step, text or "", text)
        except Rejected:
            return False
        return True

    return ask


class Simulator:
    """The obligations of a simulation between two functions.

    Raises: Untraceable.
    """

    def __init__(
        self, pool: TermPool, functions: Both, memories: Sequence[tuple[int, int]], index_width: int, ask: Ask
    ) -> None:
        if not are_comparable(functions):
            raise Untraceable("an op leaves its value open, or shows which NaN a float is")
        self.pool = pool
        self.index_width = index_width
        self._ask = ask
        self._shapes = Shapes(index_width)
        self._simplify = Simplifier(pool, index_width)
        self.source, self.target = (Segments(pool, f, index_width) for f in functions)
        paired = dict(memories)
        self._numbers = _numbers(self.source, None, self.source), _numbers(self.target, paired, self.source)
        self._proper = self._proper_memories()

    def by_place(self, relations: Sequence[Relation]) -> dict[tuple[int, int], Relation]:
        """The relations by their headers.

        Raises: Untraceable where two are of the same headers, or none is of the entries, or that has conditions.
        """
        found = {(r.source, r.target): r for r in relations}
        entry = found.get((ENTRY, ENTRY))
        if entry is None or entry.values or entry.facts or len(found) < len(relations):
            raise Untraceable("there is not one relation for each pair of headers")
        return found

    def is_well_founded(self, relations: Sequence[Relation]) -> bool:
        """Whether no function goes on for ever while the other one stays."""
        if any(m.target < 1 or (m.source == 0 and m.target != 1) for r in relations for m in r.moves):
            return False
        return _is_acyclic(
            {(r.source, r.target): {(r.source, m.end) for m in r.moves if m.source == 0} for r in relations}
        )

    # The paths

    def steps(self, relation: Relation) -> Iterator[Step]:
        """The pairs of paths that may be taken together from related headers, as far as conditions tell at once.

        Raises: Untraceable.
        """
        known: dict[Term, Term] = {}
        for fact in relation.facts:
            note(self.pool, known, self.fact(fact, self.now(relation, False)), True)
        moves = {m.end: m for m in relation.moves}
        if any(not 0 <= n <= MOST_HOPS for m in moves.values() for n in (m.source, m.target)):
            raise Untraceable("a move goes over too many headers")
        ours, theirs = self._origin(relation, False, known), self._origin(relation, True, known)
        if not moves:
            yield from self._together(relation, 1, 1, None, ours, theirs)
            return
        ends = {p.end for p in self.target.paths(relation.target, 1, theirs)}
        for end in sorted(ends):
            move = moves.get(end)
            hops = (move.source, move.target) if move else (1, 1)
            yield from self._together(relation, *hops, end, ours, theirs)

    def _together(
        self, relation: Relation, ours: int, theirs: int, end: int | None, source: Origin, target: Origin
    ) -> Iterator[Step]:
        for path in self.source.paths(relation.source, ours, source):
            facts = dict(source.facts)
            for condition in path.taken:  # total values: what is demanded may fail where only the target is defined
                note(self.pool, facts, condition, True)
            origin = Origin(target.value, target.number, target.proper, facts)
            for other in self.target.paths(relation.target, theirs, origin):
                if end is None or other.first == end:
                    yield Step(path, other)

    def _origin(self, relation: Relation, is_target: bool, facts: Mapping[Term, Term]) -> Origin:
        numbers, now = self._numbers[is_target], self.now(relation, is_target)
        return Origin(lambda v, _: now(v), numbers.__getitem__, lambda m: numbers[m] in self._proper, facts)

    def now(self, relation: Relation, is_target: bool) -> Now:
        """The values of a function's variables at a header, the target's by those of the source."""
        if not is_target:
            return lambda variable: self._variable(relation, variable)
        values = {k.target: k for k in relation.values}
        ours = self.now(relation, False)

        def value(variable: Variable) -> Term:
            kept = values.get(variable)
            if kept is None:
                return leaf(self.pool, variable, self.target.types[variable], False, 1)
            return self.kept(kept, ours)

        return value

    def _variable(self, relation: Relation, variable: Variable) -> Term:
        type_ = self.source.types.get(variable)
        if type_ is None:
            raise Untraceable("the source has no such variable")
        images = [k.target for k in relation.values if k.source == variable]
        proper = self.source.is_clean(variable) and all(map(self._is_clean_target, images))
        return leaf(self.pool, variable, type_, proper)

    def _is_clean_target(self, variable: Variable) -> bool:
        return variable in self.target.types and self.target.is_clean(variable)

    def kept(self, kept: Kept, now: Now) -> Term:
        """What a variable of the target is, by what those of the source are."""
        type_ = self.target.types.get(kept.target)
        if type_ is None or ((kept.source is None or kept.offset) and isinstance(type_, FloatType)):
            raise Untraceable("the target has no such variable")
        if kept.source is None:
            return self._number(kept.offset, type_)
        value = now(kept.source)
        if value.type != type_:
            raise Untraceable("variables of different types do not belong together")
        if not kept.offset:
            return value
        operands = value, self._number(kept.offset, type_)
        return self._simplify(self.pool.make("arith.addi", operands, type_), operands)

    def _number(self, value: int, type_: ScalarType) -> Term:
        return self.pool.integer(value % (1 << type_.width) if isinstance(type_, IntType) else value, type_)

    def fact(self, fact: Fact, now: Now) -> Term:
        """An invariant as an i1 term, by what the variables of the source are."""
        left, right = (self._operand(o, now) for o in (fact.left, fact.right))
        left, right = self._typed(left, right), self._typed(right, left)
        if fact.predicate not in PREDICATES or left.type != right.type or isinstance(left.type, FloatType):
            raise Untraceable("a fact compares what it cannot")
        made = self.pool.make("arith.cmpi", (left, right), BOOL, (("predicate", fact.predicate),))
        return self._simplify(made, (left, right))

    def _typed(self, operand: Term, other: Term) -> Term:
        """A number has the type of what it is compared with."""
        value = literal(operand)
        return self._number(value, other.type) if isinstance(value, int) and operand.type == INDEX else operand

    def _operand(self, operand: Operand, now: Now) -> Term:
        kind, one, other = operand
        match kind:
            case "integer":
                return self.pool.integer(one)
            case "arg":
                terms = [a.term for a in self.source.function.arguments if a.number == one and a.term is not None]
                if not terms:
                    raise Untraceable("there is no such argument")
                return terms[0]
            case "dim":
                memories = [a.memory for a in self.source.function.arguments if a.number == one]
                if not memories or memories[0] is None or not 0 <= other < len(memories[0].extents):
                    raise Untraceable("there is no such extent")
                return memories[0].extents[other]
            case _:
                return now((kind, one))

    # The obligations

    def failures(
        self, relation: Relation, by_place: Mapping[tuple[int, int], Relation], converse: bool
    ) -> Iterator[Open]:
        """What is not shown of the paths from related headers, in either direction.

        Raises: Untraceable.
        """
        for step in self.steps(relation):
            if step.is_defined or converse:
                yield from self.unshown(relation, step, by_place, converse)

    def unshown(
        self, relation: Relation, step: Step, by_place: Mapping[tuple[int, int], Relation], converse: bool
    ) -> Iterator[Open]:
        """What is not shown of one pair of paths. A pair that is never taken together needs nothing."""
        defined, other = (step.target, step.source) if converse else (step.source, step.target)
        known = self._premises(relation, defined, other)
        yield from self._unless_never(known, self._claims(relation, step, by_place, known, converse))

    def _claims(
        self,
        relation: Relation,
        step: Step,
        by_place: Mapping[tuple[int, int], Relation],
        known: Premises,
        converse: bool,
    ) -> Iterator[Open]:
        yield from self._of_end(relation, step, by_place, known, converse)
        defined, other = (step.target, step.source) if converse else (step.source, step.target)
        yield from self._of_path(step.end, defined, other, known)

    def _premises(self, relation: Relation, defined: Path, other: Path) -> Premises:
        facts = [self.fact(f, self.now(relation, False)) for f in relation.facts]
        held = (*facts, *defined.taken, *defined.demanded)
        return Premises(held, other.taken, defined.evaluated, (*defined.exact, *other.exact))

    def _of_path(self, end: tuple[int, int], defined: Path, other: Path, known: Premises) -> Iterator[Open]:
        """That the other path is defined."""
        held = {t.id for t in known.held}
        proper = needed(self._shapes, (*known.held, *known.defined), *known.held)
        sound = _nodes((*known.held, *known.defined))
        for condition in other.taken:
            if condition.id not in held and suspects(self._shapes, condition, proper, sound)[0]:
                yield from self._asked("a branch may be on poison", known, Proper(condition), "path", end)
        for condition in other.demanded:
            if condition.id not in held:
                text = "an access may be out of bounds, or an assertion fail"
                yield from self._asked(text, known, Holds(condition), "path", end)
        for term in other.evaluated:
            if suspects(self._shapes, term, proper, sound)[1]:
                yield from self._asked("an operator may be undefined", known, Defined(term), "path", end)

    def _of_end(
        self,
        relation: Relation,
        step: Step,
        by_place: Mapping[tuple[int, int], Relation],
        known: Premises,
        converse: bool,
    ) -> Iterator[Open]:
        """That both end in one state."""
        end = step.end
        ours, theirs = (self.then(relation, step, is_target) for is_target in (False, True))
        if end == (EXIT, EXIT):
            for mine, other in zip(self.source.results, self.target.results, strict=True):
                claim = _equal(ours(mine), theirs(other), converse)
                yield from self._asked("a result is another one", known, claim, "result", end)
            yield from self._memories(step, known, converse)
            return
        to = by_place.get(end)
        if to is None:
            yield Open("path", "both come to places that do not belong together", end)
            return
        yield from self._values(step, known, to, ours, theirs, converse)
        if not converse:
            yield from self._facts(step, known, to, ours)
        yield from self._memories(step, known, converse)

    def apart(self, relation: Relation, step: Step, by_place: Mapping[tuple[int, int], Relation]) -> Iterator[Open]:
        """What is not shown to be the same where a step ends, whether or not the target is defined on its path."""
        known = self._premises(relation, step.source, step.target)
        yield from self._unless_never(known, self._of_end(relation, step, by_place, known, False))

    def _unless_never(self, known: Premises, found: Iterator[Open]) -> Iterator[Open]:
        first = next(found, None)
        if first is not None and not self._ask("whether a path is taken", known, Never()):
            yield first
            yield from found

    def kept_facts(self, relation: Relation, step: Step, to: Relation) -> Iterator[Open]:
        """The facts of a relation that are not shown to hold at the end of a step."""
        known = self._premises(relation, step.source, step.target)
        yield from self._facts(step, known, to, self.then(relation, step, False))

    def _facts(self, step: Step, known: Premises, to: Relation, ours: Now) -> Iterator[Open]:
        held = {t.id for t in known.held}
        for place, fact in enumerate(to.facts):
            found = self.fact(fact, ours)
            if literal(found) != 1 and found.id not in held:
                yield from self._asked("an invariant does not hold", known, Holds(found), "fact", step.end, place)

    def _values(
        self, step: Step, known: Premises, to: Relation, ours: Now, theirs: Now, converse: bool
    ) -> Iterator[Open]:
        for kept in to.values:
            claim = _equal(self.kept(kept, ours), theirs(kept.target), converse)
            text = "a value is not the one that belongs to it"
            yield from self._asked(text, known, claim, "value", step.end, kept.target)

    def then(self, relation: Relation, step: Step, is_target: bool) -> Now:
        """The values of a function's variables at the end of a path."""
        values, before = (step.target if is_target else step.source).values, self.now(relation, is_target)
        return lambda variable: values[variable] if variable in values else before(variable)

    def _memories(self, step: Step, known: Premises, converse: bool) -> Iterator[Open]:
        """That memories are the same; of those of their own only where both go on."""
        others = {n: m for m, n in self._numbers[1].items()}
        for memory, which in self._numbers[0].items():
            other = others.get(which)
            if other is None or (step.end == (EXIT, EXIT) and which >= OWN):
                continue
            kind = self.source.memories[memory]
            one = step.source.memories.get(memory, Contents(which))
            two = step.target.memories.get(other, Contents(which))
            if one != two:
                claim = self._same_contents(kind, one, two, which in self._proper, converse)
                yield from self._asked("a memory holds another element", known, claim, "memory", step.end)

    def _same_contents(self, kind: Memory, one: Contents, two: Contents, proper: bool, converse: bool) -> Claim:
        """That some element is the same."""
        places = tuple([_place(self.pool, k) for k in range(len(kind.extents))])
        first, second = (self.source.element(kind.element, c, places, proper) for c in (one, two))
        return _equal(first, second, converse)

    def _asked(
        self,
        text: str,
        known: Premises,
        claim: Claim,
        what: What,
        end: tuple[int, int],
        which: Variable | int | None = None,
    ) -> Iterator[Open]:
        if isinstance(claim, Refines) and claim.source is claim.target:
            return
        if not self._ask(text, known, claim):
            yield Open(what, text, end, which)

    def _proper_memories(self) -> frozenset[int]:
        """The memories that hold no poison in either function."""
        clean = [
            {n for m, n in numbers.items() if side.holds_no_poison(m)}
            for side, numbers in zip((self.source, self.target), self._numbers, strict=True)
        ]
        return frozenset(clean[0] & clean[1])


def _equal(source: Term, target: Term, converse: bool) -> Refines:
    return Refines(target, source) if converse else Refines(source, target)


def _place(pool: TermPool, dimension: int) -> Term:
    """Any subscript."""
    return pool.make("leaf", (), INDEX, (("number", -1 - dimension), ("proper", True)))


def _nodes(terms: Sequence[Term]) -> set[int]:
    return {t.id for t in postorder(tuple(terms))}


def _numbers(side: Segments, paired: Mapping[int, int] | None, source: Segments) -> dict[int, int]:
    """A number for each memory, by which those of both functions belong together.

    Raises: Untraceable.
    """
    function = side.function
    found = {a.memory.id: a.number for a in function.inputs() if a.memory is not None}
    found |= {c.memory.id: OWN + c.number for c in function.constants}
    for memory in side.memories.values():
        if memory.kind is not MemoryKind.LOCAL:
            continue
        if paired is None or memory.id not in paired:
            found[memory.id] = (2 if paired is None else 3) * OWN + memory.id
            continue
        other = source.memories.get(paired[memory.id])
        if other is None or (other.kind, other.element, other.extents) != (memory.kind, memory.element, memory.extents):
            raise Untraceable("memories of different shapes do not belong together")
        found[memory.id] = 2 * OWN + other.id
    if len(set(found.values())) < len(found):
        raise Untraceable("two memories are paired with one")
    return found


def _is_acyclic(graph: Mapping[tuple[int, int], set[tuple[int, int]]]) -> bool:
    left = dict(graph)
    while left:
        ends = [at for at, following in left.items() if not following & left.keys()]
        if not ends:
            return False
        for at in ends:
            del left[at]
    return True
