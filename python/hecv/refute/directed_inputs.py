"""Directed inputs: Z3 gives values on which a target term differs from the source term that it resembles.

Z3 is asked about terms of the target that are not proved equal to the term that they resemble. First about the two
terms with little below them, for values of their leaves; inputs with these values are then searched
(`hecv.refute.local_search`). Then about all that is below them, if that is not much. Earlier terms come first: what
differs there passes through the rest as any value does. Before all this, Z3 is asked about whole statements where the
target does not refine the source: a difference that only poison shows has equal fingerprints.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence, Set
from itertools import islice
from random import Random
from time import process_time
from typing import Final

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.theory import FALSE
from hecv.base.types import IntType
from hecv.base.value import Buffer, Scalar, Value
from hecv.ops.facts.poison_conditions import Shapes
from hecv.program.tree import Block, Evaluate, Function, If, Load, Loop, While, roots, walk
from hecv.refute.aliased_inputs import changed
from hecv.refute.local_search import Reach
from hecv.run.codegen.term_code import number_of
from hecv.run.evaluation.op_evaluation import Evaluator

Became = Callable[[Term], Term]

SECONDS: Final = 3.0
"""CPU seconds of this process for a pair; many equal pairs come here, too."""

FIRST_LEAF: Final = 1 << 40
"""The first number of a leaf."""

MILLISECONDS: Final = 500
"""The time of one question, as `hecv.smt.z3_goals` counts."""

MOST_PAIRS: Final = 40
SAYING: Final = 4
"""The number of different values from which a fingerprint is significant."""

ALIKE: Final = 2
"""The most similar source terms that Z3 is asked about for one target term."""

LARGEST: Final = 400
"""The most terms below a term for which Z3 is asked for inputs."""

DEPTHS: Final = ((3, 0, True), (4, 0, True), (6, 0, True), (6, 1, True), (2, 2, False), (4, 4, False))
"""The depths to which the target's term and the source's are expanded; and whether expansion stops at what the source
has, too."""

OPENED: Final = 100
"""Milliseconds for a question about terms that are expanded only so far."""

REACHED: Final = 12
REACH_SECONDS: Final = 0.3
"""The most inputs that are searched for the values of a model (`REACHED`), and the seconds for each."""

TRIED: Final = 6
"""The number of other values of a leaf that all show the difference, from which the leaf counts as irrelevant."""


def suspects(orders: tuple[Sequence[Term], Sequence[Term]], became: Became, width: int) -> Iterator[tuple[Term, Term]]:
    """Integer terms of the source and of the target with the same fingerprint that are not known to be equal, in the
    order of the target; those with an insignificant fingerprint (few values) last.

    `became` gives the representative of a term.
    Requires: operands come before users.
    """
    # Most checks need no fingerprints.
    from hecv.sweep.cuts.fingerprints import Fingerprints

    source, target = orders
    prints = Fingerprints(width)
    known = {became(t).id for t in source}
    alike: dict[object, list[Term]] = {}
    for term in source:
        alike.setdefault((term.type, prints.of(term)), []).append(term)
    values = [prints.of(t) for t in target]
    left = [
        (t, v)
        for t, v in zip(target, values, strict=True)
        if t.args and isinstance(t.type, IntType) and became(t).id not in known
    ]
    for term, own in sorted(left, key=lambda pair: len(set(pair[1])) < SAYING):  # is stable
        yield from ((other, term) for other in alike.get((term.type, own), ())[-ALIKE:])


def inputs(
    pool: TermPool,
    functions: tuple[Function, Function],
    orders: tuple[Sequence[Term], Sequence[Term]],
    became: Became,
    width: int,
    deadline: float,
) -> Iterator[dict[Term, Scalar]]:
    """Values of inputs that may show a difference, found before `deadline` (CPU time): of whole statements and, unless
    all of these are refined, of suspects.

    Requires: the functions have the same shape.
    """
    refined = yield from failures(functions, became, width, deadline)
    if not refined:
        yield from models(pool, orders, became, width, deadline)


def failures(
    functions: tuple[Function, Function], became: Became, width: int, deadline: float
) -> Generator[dict[Term, Scalar], None, bool]:
    """Values of inputs at which a term of the target does not refine its counterpart in the source, found before
    `deadline` (CPU time): flags, rounding and values out of range show on few inputs.

    Returns whether there is none: all terms are known to be refined, and all that the target evaluates is defined.
    Requires: the functions have the same shape.
    """
    from hecv.smt.distinguishing_values import unrefined
    from hecv.smt.z3_goals import Proved

    shapes = Shapes(width)
    evaluated = [s.term for s in walk(functions[1].body) if isinstance(s, Evaluate)]
    refined = all(shapes.of(t, (False,) * len(t.args)).ub is FALSE for t in evaluated)
    statements = [[s for s in walk(f.body) if not isinstance(s, Evaluate)] for f in functions]
    for ours, theirs in zip(*statements, strict=True):
        refined &= len(roots(ours)) == len(roots(theirs))
        for source, target in zip(roots(ours), roots(theirs), strict=False):
            if process_time() > deadline:
                return False
            if source is target or became(source) is became(target):
                continue
            if source.type != target.type or len(postorder((source, target))) > LARGEST:
                refined = False
                continue
            found = unrefined(source, target, width, MILLISECONDS)
            refined &= isinstance(found, Proved)
            if isinstance(found, dict):
                yield found
    return refined


def models(
    pool: TermPool, orders: tuple[Sequence[Term], Sequence[Term]], became: Became, width: int, deadline: float
) -> Iterator[dict[Term, Scalar]]:
    """Values of inputs for which suspects differ, found before `deadline` (CPU time)."""
    from hecv.smt.distinguishing_values import differing

    apply, random = Evaluator(width), Random(0)
    window = Window(pool, became, {became(t).id for t in orders[0]})
    for source, target in islice(suspects(orders, became, width), MOST_PAIRS):
        for goals in _goals(window, (source, target), apply, width, random):
            for _ in range(REACHED):
                reached = Reach(goals, apply, random).inputs(REACH_SECONDS)
                if process_time() > deadline:
                    return
                if reached is None:
                    break
                yield reached
        if len(postorder((source, target))) <= LARGEST:
            yield differing(source, target, width, MILLISECONDS) or {}


def _goals(
    window: Window, pair: tuple[Term, Term], apply: Evaluator, width: int, random: Random
) -> Iterator[dict[Term, int]]:
    """Values of terms a little below the pair for which these differ."""
    from hecv.smt.distinguishing_values import differing

    for far, near, stops in DEPTHS:
        source, target = window.opened(pair[0], near, False), window.opened(pair[1], far, stops)
        model = differing(source, target, width, OPENED)
        values = {leaf: v for leaf, v in (model or {}).items() if isinstance(v, int)}
        if model is None or len(values) < len(model):
            continue
        needed = [leaf for leaf in values if _matters(leaf, (source, target), values, apply, random)]
        if needed:  # else any input would do, if this were all there is to know
            yield {window.leaves[leaf]: values[leaf] for leaf in needed}


def _matters(leaf: Term, pair: tuple[Term, Term], model: Mapping[Term, int], apply: Evaluator, random: Random) -> bool:
    """Whether a difference at a model may not show with another value of the leaf."""
    width = leaf.type.width if isinstance(leaf.type, IntType) else 64
    for _ in range(TRIED):
        values = {**model, leaf: random.getrandbits(width)}
        first, second = (value_of(t, values, apply) for t in pair)
        if first is None or first == second:
            return True
    return False


class Window:
    """Terms expanded down to leaves that stand for what is below: one leaf for all that is known to be equal."""

    def __init__(self, pool: TermPool, became: Became, known: Set[int]) -> None:
        """`known` are the places of the source."""
        self._known: Final = known
        self._pool: Final = pool
        self._became: Final = became
        self.leaves: Final[dict[Term, Term]] = {}
        """What each leaf stands for."""

    def opened(self, term: Term, depth: int, stops: bool) -> Term:
        """The term expanded to `depth`; with `stops`, not below what the source has."""
        if literal(term) is not None:
            return term
        if depth == 0 or not term.args or (stops and self._became(term).id in self._known):
            leaf = self._pool.argument(FIRST_LEAF + self._became(term).id, term.type)
            return self.leaves.setdefault(leaf, term) and leaf
        args = tuple([self.opened(a, depth - 1, stops) for a in term.args])
        return self._pool.make(term.op, args, term.type, term.attrs)


def value_of(root: Term, known: Mapping[Term, Value], apply: Evaluator) -> Scalar | None:
    """The value of a term; None if a leaf is unknown, or the term is undefined."""
    values: dict[int, Scalar] = {}
    for term in postorder((root,)):
        found = known.get(term, literal(term))
        if found is None and term.args and all(a.id in values for a in term.args):
            found = apply(term, tuple(values[a.id] for a in term.args))
        if found is None or isinstance(found, Buffer):
            return None
        values[term.id] = found
    return values[root.id]


class Aim:
    """Writes the values of leaves to where a function reads them: its arguments, and the elements that its loads read
    in the first iteration of the loops around them."""

    def __init__(self, function: Function, index_width: int) -> None:
        self._function: Final = function
        self._apply: Final = Evaluator(index_width)
        self._loads: Final[dict[int, tuple[Load, tuple[Loop, ...]]]] = {}
        self._enter(function.body, ())

    def _enter(self, block: Block, around: tuple[Loop, ...]) -> None:
        for s in block:
            match s:
                case Load():
                    self._loads[s.id] = s, around
                case Loop():
                    self._enter(s.body, (*around, s))
                case If():
                    self._enter((*s.then, *s.otherwise), around)
                case While():
                    self._enter((*s.before, *s.after), around)
                case _:
                    pass

    def arguments(self, given: tuple[Value, ...], leaves: Mapping[Term, Scalar]) -> tuple[Value, ...]:
        """`given` with these values written to it, as far as leaves are inputs."""
        numbers = {a.number: n for n, a in enumerate(self._function.inputs()) if a.memory is None}
        found = list(given)
        for leaf, value in leaves.items():
            if leaf.op == "arg":
                found[numbers[number_of(leaf, "number")]] = value
        known = {a.term: v for a, v in zip(self._function.inputs(), found, strict=True) if a.term is not None}
        made = tuple(found)
        for leaf, value in leaves.items():
            if leaf.op == "read":
                made = self._with_element(made, number_of(leaf, "load"), {**known, **leaves}, value)
        return made

    def _with_element(
        self, given: tuple[Value, ...], load: int, known: Mapping[Term, Value], value: Scalar
    ) -> tuple[Value, ...]:
        """`given` with `value` where a load reads; as they are where that is no element of an input, or not known."""
        s, around = self._loads[load]
        inputs = self._function.inputs()
        number = next((n for n, a in enumerate(inputs) if a.memory is not None and a.memory.id == s.memory.id), None)
        if number is None:
            return given
        buffer, values = given[number], dict(known)
        assert isinstance(buffer, Buffer)
        for loop in around:
            lowers = [value_of(t, values, self._apply) for t in loop.lowers]
            if loop.iv not in values and all(isinstance(v, int) for v in lowers):
                values[loop.iv] = max(v for v in lowers if isinstance(v, int))
        position = 0
        for index, extent in zip(s.indices, buffer.shape, strict=True):
            at = value_of(index, values, self._apply)
            if not isinstance(at, int) or not 0 <= at < extent:
                return given
            position = position * extent + at
        data = [*buffer.data[:position], value, *buffer.data[position + 1 :]]
        return changed(given, number, Buffer(buffer.shape, data))
