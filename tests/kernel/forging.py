"""Certificates that are wrong: edits of right ones, and tables that claim everything."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import islpy as isl
from tests.kernel.pairs import Pair

from hecv.base.term import Term, TermPool
from hecv.dataflow.model.term_instances import At, Initial, Position, numbered
from hecv.dataflow.model.value_dataflow import Dataflow, analyse, undefined_at_first
from hecv.dataflow.pair_model import Pair as Programs
from hecv.kernel.certificate.dataflow_format import WORDS, DataflowProof, Entry, Read, Step, dataflow_data
from hecv.mlir.importer import read_pair

NUMBER = re.compile(r"\d+")


def edited(data: Any, random: Random) -> Any:
    """The certificate with one part changed, left out, or written twice."""
    changed = copy.deepcopy(data)
    places = list(_places(changed))
    container, key = random.choice(places)
    old = container[key]
    match old:
        case list() if random.random() < 0.5 and old:
            old.insert(random.randrange(len(old) + 1), copy.deepcopy(random.choice(old)))
        case list() if old:
            del old[random.randrange(len(old))]
        case int():
            container[key] = old + random.choice((-1, 1))
        case str() if old in WORDS:
            container[key] = random.choice(sorted(WORDS - {old}))
        case str():
            container[key] = _another(old, random)
        case _:
            container[key] = random.choice((None, 0, "none"))
    return changed


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(data) if isinstance(data, dict) else range(len(data))
    for key in keys:
        yield data, key
        if isinstance(data[key], dict | list):
            yield from _places(data[key])


def _another(text: str, random: Random) -> str:
    """An isl text with another number, a constraint less, or none."""
    numbers = list(NUMBER.finditer(text))
    match random.randrange(3):
        case 0 if numbers:
            found = random.choice(numbers)
            return f"{text[: found.start()]}{int(found[0]) + random.choice((-1, 1))}{text[found.end() :]}"
        case 1 if " and " in text:
            parts = text.split(" and ")
            del parts[random.randrange(1, len(parts))]
            return " and ".join(parts) + ("" if parts[-1].endswith("}") else " }")
        case _:
            return text.split(":")[0] + (" }" if ":" in text else "")


class _Forger:
    """Claims whatever steps of the two programs look alike, of all instances."""

    def __init__(self, programs: Programs) -> None:
        self._space = programs.space
        self._flows = analyse(programs.space, programs.source.flat), analyse(programs.space, programs.target.flat)
        self._numbers: dict[tuple[Any, Any], int] = {}
        self._waiting: list[tuple[Position, Position]] = []

    def proof(self) -> DataflowProof:
        """Right about who wrote what, and about nothing else."""
        arrays: list[tuple[str, tuple[Step, ...]]] = []
        for name in self._flows[0].program.arrays:
            first, second = (flow.final(name) for flow in self._flows)
            if first is not None and second is not None:
                assert first.value is not None and second.value is not None
                arrays.append((name, tuple(self._steps(At(first, first.value), At(second, second.value)))))
        entries: list[Entry] = []
        while len(entries) < len(self._waiting):
            source, target = self._waiting[len(entries)]
            steps = tuple(self._steps(source, target))
            entries.append(Entry(self._place(source), self._place(target), self._all(source, target), steps))
        reads = tuple(tuple(self._reads(flow)) for flow in self._flows)
        return DataflowProof(str(self._space.known), (reads[0], reads[1]), tuple(entries), tuple(arrays))

    def _steps(self, source: Position, target: Position) -> Iterator[Step]:
        if isinstance(source, Initial) or isinstance(target, Initial):
            reading = any(isinstance(p, At) and p.term.op == "load" for p in (source, target))
            yield from self._writes(source, target) if reading else ["initial"]
        elif "load" in (source.term.op, target.term.op):
            yield from self._writes(source, target)
        elif source.term is target.term and not source.term.args:
            yield "same" if source.term.op != "iv" else "index"
        elif not source.term.args or source.term.op != target.term.op:
            yield "index"
        else:
            yield "operands"
            for left, right in zip(source.term.args, target.term.args, strict=False):
                yield from self._steps(At(source.statement, left), At(target.statement, right))

    def _writes(self, source: Position, target: Position) -> Iterator[Step]:
        yield "writes"
        for left in self._origins(0, source):
            for right in self._origins(1, target):
                if isinstance(left, Initial) and (left.undefined or isinstance(right, Initial)):
                    yield "poison" if left.undefined else "initial"
                    continue
                key = left.key(), right.key()
                if key not in self._numbers:
                    self._numbers[key] = len(self._waiting)
                    self._waiting.append((left, right))
                yield self._numbers[key]

    def _origins(self, side: int, position: Position) -> Iterator[Position]:
        if not isinstance(position, At) or position.term.op != "load":
            yield position
            return
        flow = self._flows[side]
        producers = flow.producers[position.statement.name, position.term]
        for writer, _ in producers.writes:
            assert writer.value is not None
            yield At(writer, writer.value)
        if producers.initial is not None:
            array = position.statement.reads[position.term].array
            yield Initial(array, undefined_at_first(flow.program, array))

    def _all(self, source: Position, target: Position) -> str:
        return str(isl.Map.from_domain_and_range(self._instances(0, source), self._instances(1, target)))

    def _instances(self, side: int, position: Position) -> isl.Set:
        if isinstance(position, At):
            return self._flows[side].domains[position.statement.name]
        array = self._flows[side].program.arrays[position.array]
        names = ", ".join(f"e{k}" for k in range(array.private + len(array.extents)))
        return self._space.set(f"{{ {array.name}[{names}] }}")

    def _place(self, position: Position) -> tuple[str, int]:
        if isinstance(position, Initial):
            return position.array, -1
        return position.statement.name, _index(numbered(position.statement), position.term)

    def _reads(self, flow: Dataflow) -> Iterator[Read]:
        for statement in flow.program.statements:
            for load in statement.reads:
                found = flow.producers[statement.name, load]
                writes = tuple((writer.name, str(pairs)) for writer, pairs in found.writes)
                initial = None if found.initial is None else str(found.initial)
                yield Read(self._place(At(statement, load)), writes, initial)


def _index(terms: list[Term], term: Term) -> int:
    return next(k for k, other in enumerate(terms) if other is term)


def forged(pair: Pair) -> Any:
    """A certificate that claims the programs equal, with right claims about reads and a table of all instances."""
    task, pool = pair.task(), TermPool()
    read = read_pair(task.modules, task.names, pool)
    programs = Programs(pool, *read, [c.term(pool, read[0]) for c in task.constraints])
    return dataflow_data(_Forger(programs).proof())
