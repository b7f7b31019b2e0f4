"""Invariants of a function at its loop headers, proposed from the values of concrete runs.

A run follows the function's segments (`hecv.normal.summaries.loop_segments`) on small inputs, as long as it is defined.
What compares alike at each visit of a header (a value with 0 or 1, with an argument, an extent or another value) is
proposed; whether it always does is for a proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

from hecv.base.term import Term, literal, postorder
from hecv.base.types import IndexType, IntType, ScalarType
from hecv.base.value import POISON, Scalar
from hecv.kernel.certificate.simulation_format import Fact, Operand, Variable
from hecv.kernel.simulation_check import Simulator
from hecv.normal.summaries.loop_segments import ENTRY, EXIT, Origin, Path, Segments, leaf
from hecv.program.index.exact_integers import signed
from hecv.run.evaluation.op_evaluation import Evaluator

RUNS: Final = 40
MOST_VISITS: Final = 40
"""Headers that a run comes to."""
MOST_FACTS: Final = 24
"""At one header."""
SEED: Final = 11

Memory = dict[tuple[int, tuple[Scalar, ...]], Scalar]
State = dict[Variable, Scalar]


def proposed_facts(simulator: Simulator) -> dict[int, list[Fact]]:
    """What may hold whenever the source is at each of its headers."""
    runs = _Runs(simulator)
    visits: dict[int, list[tuple[State, State]]] = {}
    for number in range(RUNS):
        for head, state, given in runs.run(Random(SEED + number)):
            visits.setdefault(head, []).append((state, given))
    return {head: list(_holding(simulator.source, head, seen))[:MOST_FACTS] for head, seen in visits.items()}


def is_bound(fact: Fact) -> bool:
    """Whether a fact bounds a value by a number."""
    return "integer" in (fact.left[0], fact.right[0])


def _holding(source: Segments, head: int, seen: list[tuple[State, State]]) -> Iterator[Fact]:
    """The comparisons that hold at every visit."""
    types = {v: source.types[v] for v in source.live[head]}
    whole = [v for v, t in types.items() if isinstance(t, IndexType | IntType) and getattr(t, "width", 64) > 1]
    for variable in whole:
        low = min(_number(state[variable], types[variable]) for state, _ in seen)
        if low >= 0:
            yield Fact("sle", ("integer", min(low, 1), 0), (*variable, 0))
    for variable in whole:
        others: list[tuple[Operand, ScalarType]] = [((*o, 0), types[o]) for o in whole if o != variable]
        others += [(o, t) for o, t in _inputs(source) if t == types[variable]]
        for other, type_ in others:
            if type_ == types[variable] and all(_compares(variable, other, both, type_) for both in seen):
                yield Fact("sle", (*variable, 0), other)
            elif other[0] in ("arg", "dim") and all(_compares(variable, other, both, type_, True) for both in seen):
                yield Fact("sle", other, (*variable, 0))


def _inputs(source: Segments) -> Iterator[tuple[Operand, ScalarType]]:
    for argument in source.function.arguments:
        if argument.term is not None:
            yield ("arg", argument.number, 0), argument.term.type
        for place, extent in enumerate(() if argument.memory is None else argument.memory.extents):
            if literal(extent) is None:
                yield ("dim", argument.number, place), extent.type


def _compares(
    variable: Variable, other: Operand, both: tuple[State, State], type_: ScalarType, swapped: bool = False
) -> bool:
    state, given = both
    one = _number(state[variable], type_)
    kind, which, place = other
    held = state[kind, which] if kind in ("cell", "load") else given[kind, which * 100 + place]
    two = _number(held, type_)
    return two <= one if swapped else one <= two


def _number(value: Scalar, type_: ScalarType) -> int:
    assert isinstance(value, int)
    return signed(value, type_.width) if isinstance(type_, IntType) else value


class _Runs:
    """Runs of the source, segment by segment."""

    def __init__(self, simulator: Simulator) -> None:
        self._source = simulator.source
        self._pool = simulator.pool
        self._evaluate = Evaluator(simulator.index_width)
        self._paths = {start: self._from(start) for start in (ENTRY, *self._source.heads)}

    def _from(self, start: int) -> list[Path]:
        def value(variable: Variable, type_: ScalarType) -> Term:
            return leaf(self._pool, variable, type_, False)

        return self._source.paths(start, 1, Origin(value, lambda memory: memory, lambda memory: False, {}))

    def run(self, random: Random) -> Iterator[tuple[int, State, State]]:
        """The headers that a run comes to, with the values of what lives there, and of arguments and extents."""
        near = random.choice((2, 5, 9))
        given: State = {}
        for kind, which, place in [operand for operand, _ in _inputs(self._source)]:
            given[kind, which * 100 + place] = random.randrange(2 * near)
        state, memory, at = State(), Memory(), ENTRY
        for _ in range(MOST_VISITS):
            found = self._step(at, state, memory, given, random, near)
            if found is None or found[0] == EXIT:
                return
            at, state, memory = found
            yield at, state, given

    def _step(
        self, at: int, state: State, memory: Memory, given: State, random: Random, near: int
    ) -> tuple[int, State, Memory] | None:
        """The next header with what holds there; None where the run is not defined."""
        values: dict[int, Scalar | None] = {}

        def of(term: Term) -> Scalar | None:
            for node in postorder((term,)):
                if node.id not in values:
                    operands = tuple([v for a in node.args if (v := values[a.id]) is not None])
                    whole = len(operands) == len(node.args)
                    values[node.id] = self._value(node, operands, state, memory, given, random, near) if whole else None
            return values[term.id]

        for path in self._paths[at]:
            if all(of(t) == 1 for t in (*path.taken, *path.demanded)):
                break
        else:
            return None
        if path.end == EXIT:
            return EXIT, {}, {}
        after: State = {}
        for variable in self._source.live[path.end]:
            value = of(path.values[variable]) if variable in path.values else state.get(variable)
            if value is None or value is POISON:
                return None
            after[variable] = value
        written = dict(memory)
        for which, contents in path.memories.items():
            for places, value in contents.writes:
                found = tuple([of(p) for p in places])
                result = of(value)
                if result is None or any(p is None for p in found):
                    return None
                written[which, tuple([p for p in found if p is not None])] = result
        return path.end, after, written

    def _value(
        self,
        node: Term,
        operands: tuple[Scalar, ...],
        state: State,
        memory: Memory,
        given: Mapping[Variable, Scalar],
        random: Random,
        near: int,
    ) -> Scalar | None:
        known = literal(node)
        match node.op:
            case _ if known is not None:
                return known
            case "leaf":
                place = int(str(node.attr("number")))
                return state.get(("load" if place % 2 else "cell", place // 4))
            case "arg":
                return given.get(("arg", int(str(node.attr("number"))) * 100))
            case "dim":
                return given.get(("dim", int(str(node.attr("argument"))) * 100 + int(str(node.attr("dimension")))))
            case "load":
                which = int(str(node.attr("memory")))
                drawn = random.randrange(near)
                return memory.setdefault((which, operands), float(drawn) if _is_float(node.type) else drawn)
            case _:
                return self._evaluate(node, operands) if node.args else None


def _is_float(type_: ScalarType) -> bool:
    return not isinstance(type_, IndexType | IntType)
