"""Paths from loop header to loop header are what the function does, and a simulation by them is never contradicted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest
from tests.verdict.loop_programs import DECODER, HEAP, LOWER_BOUND, MERGE, PROBE

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import ScalarType
from hecv.base.value import Buffer, Scalar, Value
from hecv.mlir.importer import read_pair
from hecv.normal.summaries.loop_segments import ENTRY, EXIT, Origin, Path, Segments, Variable, leaf
from hecv.program.read_write_sets import number
from hecv.prove.whiles.simulation import simulate
from hecv.run.evaluation.op_evaluation import Evaluator
from hecv.run.interpreter.interpreter import Finished, Outcome, compile

from .running import conclusive, parsed_pair, read, refuted
from .test_whiles import STEPS_OF_ALL
from .whiles import PREDICATES, program

MOST_HEADERS = 2000


class Walk:
    """Runs a function by its segments; `arguments` are scalars and memories with one dimension."""

    def __init__(self, text: str) -> None:
        self._pool = TermPool()
        self.function = read(text, self._pool)
        self._segments = Segments(self._pool, self.function, 64)
        self._evaluate = Evaluator(64)
        self._known: dict[int, list[Path]] = {}

    def run(self, arguments: tuple[Value, ...]) -> tuple[list[Scalar], list[list[Scalar]]] | None:
        """Results and the contents of memories; None if the run is not defined, or does not end."""
        memories = {k: list(a.data) for k, a in enumerate(arguments) if isinstance(a, Buffer)}
        state: dict[Variable, Scalar] = {}
        at = ENTRY
        for _ in range(MOST_HEADERS):
            known: dict[int, Scalar | None] = {}
            given = arguments, state, memories
            taken = [p for p in self._paths(at) if all(self._value(t, known, *given) == 1 for t in p.taken)]
            if not taken:  # a condition is poison, or of an element that is not there
                return None
            assert len(taken) == 1
            path = taken[0]
            if any(self._value(t, known, *given) != 1 for t in path.demanded):
                return None
            now = {v: self._value(t, known, *given) for v, t in path.values.items()}
            after = {k: list(m) for k, m in memories.items()}
            for which, contents in path.memories.items():
                for (place,), written in contents.writes:
                    element = self._value(written, known, *given)
                    assert element is not None
                    after[which][int(str(self._value(place, known, *given)))] = element
            state, memories, at = state | {v: x for v, x in now.items() if x is not None}, after, path.end
            if at == EXIT:
                return [state[r] for r in self._segments.results], list(memories.values())
        return None

    def _paths(self, start: int) -> list[Path]:
        def value(variable: Variable, type_: ScalarType) -> Term:
            return leaf(self._pool, variable, type_, False)

        if start not in self._known:
            origin = Origin(value, lambda m: m, lambda m: False, {})
            self._known[start] = self._segments.paths(start, 1, origin)
        return self._known[start]

    def _value(
        self,
        term: Term,
        known: dict[int, Scalar | None],
        arguments: tuple[Value, ...],
        state: dict[Variable, Scalar],
        memories: dict[int, list[Scalar]],
    ) -> Scalar | None:
        for node in postorder((term,)):
            if node.id not in known:
                operands = tuple([v for a in node.args if (v := known[a.id]) is not None])
                whole = len(operands) == len(node.args)
                known[node.id] = self._of_node(node, operands, arguments, state, memories) if whole else None
        return known[term.id]

    def _of_node(
        self,
        node: Term,
        operands: tuple[Scalar, ...],
        arguments: tuple[Value, ...],
        state: dict[Variable, Scalar],
        memories: dict[int, list[Scalar]],
    ) -> Scalar | None:
        match node.op:
            case "const":
                return literal(node)
            case "leaf":
                place = number(node, "number")
                return state[("load" if place % 2 else "cell", place // 4)]
            case "arg":
                given = arguments[number(node, "number")]
                return None if isinstance(given, Buffer) else given
            case "dim":
                given = arguments[number(node, "argument")]
                return given.shape[number(node, "dimension")] if isinstance(given, Buffer) else None
            case "load":
                data, place = memories[number(node, "memory")], operands[0]
                return data[place] if isinstance(place, int) and 0 <= place < len(data) else None
            case _:
                return self._evaluate(node, operands)


def compare(text: str, inputs: Sequence[tuple[Value, ...]]) -> int:
    """On how many inputs a run by segments ended; each is what the interpreter does."""
    walk, ended = Walk(text), 0
    code = compile(walk.function)
    for arguments in inputs:
        whole: Outcome = code.run(arguments, STEPS_OF_ALL)
        if not conclusive(whole):
            continue
        end = walk.run(arguments)
        if isinstance(whole, Finished):
            ended += 1
            data = [list(a.data) for a in whole.arguments if isinstance(a, Buffer)]
            assert (list(whole.results), data) == end, text
        else:
            assert end is None, f"{whole} is not undefined by segments\n{text}"
    return ended


def buffer(random: Random, size: int, most: int, bits: int) -> Buffer:
    return Buffer((size,), [random.randrange(most) % (1 << bits) for _ in range(size)])


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 80, 20))
def test_random_functions_do_what_their_segments_do(first: int) -> None:
    ended = 0
    for seed in range(first, first + 20):
        random = Random(seed)
        text = program(random)
        narrow = "@f(%n: i8" in text
        numbers = [(n, m) for n in (-3, 0, 1, 5) for m in (-3, 0, 2)]
        inputs = [(*((v % 256) if narrow else v for v in pair), buffer(random, 8, 1 << 32, 32)) for pair in numbers]
        ended += compare(text, inputs)
    assert ended > 20


def test_programs_do_what_their_segments_do() -> None:
    random, ended = Random(1), []
    for _ in range(8):
        size = random.randrange(1, 9)
        numbers = buffer(random, size, 50, 32)
        ended += [
            compare(HEAP, [(numbers, random.randrange(3), random.randrange(size + 1))]),
            compare(MERGE, [(numbers, buffer(random, size, 9, 32), random.randrange(size + 1))]),
            compare(LOWER_BOUND, [(buffer(random, size, 5, 32), size, random.randrange(6))]),
            compare(PROBE, [(buffer(random, 4, 3, 64), buffer(random, 4, 9, 64), random.randrange(4), 7, 4)]),
            compare(DECODER, [(buffer(random, size, 150, 8), size, buffer(random, 9, 1, 32))]),
        ]
    assert all(sum(ended[k::5]) for k in range(5)), ended


def twin(random: Random, text: str) -> str:
    """The text with one comparison, literal, flag or operand changed."""
    places = [
        m
        for p in (r"cmpi (\w+)", r"constant (-?\d+) : (?!i32)", r"(overflow<[^>]+>)", r"(addi|subi) %i")
        for m in re.finditer(p, text)
    ]
    found = random.choice(places)
    old = found[1]
    if old in PREDICATES:
        new = random.choice(PREDICATES)
    elif old.startswith("overflow"):
        new = random.choice(("overflow<nsw>", "overflow<none>"))
    elif old in ("addi", "subi"):
        new = random.choice(("addi", "subi"))
    else:
        new = str(int(old) + random.choice((-1, 0, 1)))
    return text[: found.start(1)] + new + text[found.end(1) :]


def check_twin(seed: int) -> bool:
    random = Random(seed)
    source = program(random, flagged=True)
    target = twin(random, source)
    pool = TermPool()
    found = simulate(pool, read_pair(parsed_pair(source, target), ("f", "f"), pool, 64), 64, 3.0)
    if found is None:
        return False
    verdict = "equivalent" if found.converse else "refines"
    why = refuted(source, target, verdict, random, 30, 60)
    assert why is None, f"seed {seed}: {why}\n{source}\n{target}"
    return True


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 40, 10))
def test_no_twin_of_a_random_function_is_proved_wrongly(first: int) -> None:
    assert sum(check_twin(seed) for seed in range(first, first + 10))


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1400, 100))
def test_no_twin_of_many_random_functions_is_proved_wrongly(first: int) -> None:
    for seed in range(first, first + 100):
        check_twin(seed)
