"""What becomes of mutants: one process reads each pair once, and judges one mutant after the other.

What a quick run tells apart is killed. Of that every so often one is given to the engines that prove, and none may
succeed. What quick runs leave alive is given to array dataflow, and where that fails every so often to all of hecv;
what is then said to be equal is held against runs of more inputs.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Final

from torch_mlir import ir

from hecv.base.diag import InputError, Unsupported
from hecv.base.term import TermPool
from hecv.base.value import Value
from hecv.dialects.registry import licensed
from hecv.execute.analysis import chooses, terms_of
from hecv.execute.interpreter import Executable, Finished, compile
from hecv.frontend.mlir import ParsedModule, functions, new_context, parse, read_pair
from hecv.graph.identity import same_program
from hecv.graph.tree import Function
from hecv.poly.prove import Proved
from hecv.verdict import recursion
from hecv.verdict.assumptions import Constraint
from hecv.verdict.case import Case, Task
from hecv.verdict.decide import decide
from hecv.verdict.pairing import constraints_of
from hecv.verdict.result import FunctionReport
from hecv.verdict.strategy import Strategy
from hecv.verdict.switches import Switches

from .mutants import EDITS, Edit, kind_of, mutants
from .running import conclusive, contradicted, inputs, unrefined

COLUMNS: Final = ("mutants", "killed", "tried", "open", "unknown", "refines", "equivalent", "wrong")
"""`killed` by a run; of these, `tried` were given to the engines that prove. Neither run nor proved in short are those
`open` and, of which all of hecv was asked, `unknown`."""

STEPS: Final = 20_000
RUNS, TRIES = 8, 40
"""For a quick run: inputs on which the source finishes, of so many that are tried."""
MORE_RUNS, MORE_TRIES = 24, 120
"""For what is called equal."""

SEARCH_SECONDS: Final = 0.1
"""For hecv's own runs, where licences or switches let these say less."""

OPERATIONS: Final = 1_000_000
"""isl operations for a proof of what a run refutes."""
MISSES: Final = 60
"""So many edits of one text may be no programs."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A pair whose target is right, under the switches of its test."""

    name: str
    source: str
    target: str
    switches: Switches = Switches()  # noqa: RUF009
    assume: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant of kind `kind`, made of `subject` on a line, and the columns it counts in."""

    kind: str
    subject: str
    line: int
    columns: tuple[str, ...]
    said: str = ""
    texts: tuple[str, str] = ("", "")


def options_of(target: str) -> tuple[Switches, tuple[str, ...]]:
    """The switches and assumptions under which a target of the lit suite is right."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fp", default="strict")
    parser.add_argument("--alias", default="distinct")
    parser.add_argument("--index-overflow", default="assume")
    parser.add_argument("--index-width", type=int, default=64)
    parser.add_argument("--assume", action="append", default=[])
    found = re.search(r"RUN:.*hecv check (.*\.src\.mlir %s.*)", target)
    words = shlex.split(found[1].split("|")[0]) if found else []
    given, _ = parser.parse_known_args(words)
    switches = Switches(given.index_width, given.index_overflow == "wrap", given.alias == "may", given.fp)
    return switches, tuple(given.assume)


@dataclass(slots=True)
class _Ready:
    """A subject that was read: the source's module, and for each of its functions runs of it."""

    module: ParsedModule
    names: tuple[str, ...]
    constraints: Mapping[str, tuple[Constraint, ...]]
    runs: dict[str, list[tuple[tuple[Value, ...], Finished]]] = field(default_factory=dict)


class Judge:
    """Judges mutants by number. `every` tells of how many that a run kills one is given to the engines."""

    def __init__(self, subjects: Sequence[Subject], seed: int, every: int = 1, seconds: float = 10.0) -> None:
        self._subjects = subjects
        self._seed, self._every, self._seconds = seed, every, seconds
        self._ready: dict[str, _Ready] = {}
        self._context: ir.Context | None = None
        self._made = 0
        self._able = {kind_of(e): [s for s in subjects if self._applies(e, s)] for e in EDITS}

    def _applies(self, edit: Edit, subject: Subject) -> bool:
        return next(mutants(subject.target, Random(0), (edit,)), None) is not None

    def __call__(self, number: int) -> Judged | None:
        """What becomes of the mutant of that number; None where the edits that were drawn made no program."""
        edit, random = EDITS[number % len(EDITS)], Random(f"{self._seed} {number}")
        able = self._able[kind_of(edit)]
        for _ in range(MISSES if able else 0):
            subject = random.choice(able)
            ready = self._read(subject)
            mutant = next(mutants(subject.target, random, (edit,)), None) if ready is not None else None
            if ready is None or mutant is None:
                continue
            try:
                module = parse(mutant.text, "mutant.mlir", self._context)
            except InputError:
                continue
            name = _function_at(mutant.text, mutant.line, ready.names, random)
            columns, said = self._judged(subject, ready, module, name, random, number)
            if columns:
                texts = (subject.source, mutant.text) if "wrong" in columns else ("", "")
                return Judged(kind_of(edit), f"{subject.name} @{name}", mutant.line, columns, said, texts)
        return None

    def _read(self, subject: Subject) -> _Ready | None:
        if self._context is None or self._made > 5000:  # a context keeps all that it was ever given
            self._context, self._made, self._ready = new_context(), 0, {}
        self._made += 1
        if subject.name not in self._ready:
            module = parse(subject.source, "source.mlir", self._context)
            found = [f for f in functions(module) if f.has_body]
            given = constraints_of(found, subject.assume)
            named = {f.name: g for f, g in zip(found, given, strict=True)}
            self._ready[subject.name] = _Ready(module, tuple(named), named)
        return self._ready[subject.name] if self._ready[subject.name].names else None

    def _judged(
        self, subject: Subject, ready: _Ready, module: ParsedModule, name: str, random: Random, number: int
    ) -> tuple[tuple[str, ...], str]:
        """The columns of a mutant, and what is to be said of it; none where it is not to be compared."""
        own = [f.name for f in functions(module) if f.has_body]
        other = own[0] if len(own) == len(ready.names) == 1 else name
        if other not in own:
            return (), ""
        task = Task(
            (ready.module, module),
            (name, other),
            ready.constraints[name],
            subject.switches,
            Strategy(),
            self._seed,
            crosscheck=False,
            seconds=self._seconds,
        )
        try:
            pair = read_pair(task.modules, task.names, TermPool())
            if [str(a.type) for a in pair[0].inputs()] != [str(a.type) for a in pair[1].inputs()]:
                return (), ""
            killed = self._killed(ready, name, pair, task, random)
        except Unsupported:
            killed = None
        chosen = not number // len(EDITS) % self._every
        if killed is None:
            return self._of_survivor(task, random, chosen)
        if not chosen:
            return ("mutants", "killed"), ""
        proof = self._proof(task)
        if proof is not None:
            return ("mutants", "tried", "wrong"), f"{proof[0]}, but {killed}"
        return ("mutants", "killed", "tried"), ""

    def _killed(
        self, ready: _Ready, name: str, pair: tuple[Function, Function], task: Task, random: Random
    ) -> str | None:
        """How a quick run tells the mutant from the source; None where none does, or a run does not tell."""
        if not self._is_told(task, pair):
            return None
        if name not in ready.runs:
            ready.runs[name] = list(_finished(pair[0], compile(pair[0]), random, RUNS, TRIES))
        code = compile(pair[1])
        for arguments, end in ready.runs[name]:
            other = code.run(arguments, 4 * STEPS)
            wrong = unrefined(end, other) if conclusive(other) else None
            if wrong is not None:
                return f"{wrong} on {arguments}"
        return None

    def _proof(self, task: Task, brief: bool = False) -> tuple[str, str] | None:
        """Which engine shows the functions equal, and the verdict on that; `brief` leaves out runs that fail and what
        takes long."""
        try:
            case = Case(task, lambda stage, runs: None)
        except Unsupported:
            return None
        if recursion.calls(case.functions):
            return None  # the proof of one function alone says nothing
        if same_program(*case.functions):
            return "identity", "equivalent"
        if brief and not self._is_told(task, case.functions) and case.search(SEARCH_SECONDS, RUNS) is not None:
            return "a run", "killed"
        found = case.prove(OPERATIONS)
        if isinstance(found, Proved):
            return "array dataflow", "equivalent" if found.converse else "refines"
        swept = None if brief else case.sweep(True)
        return ("a sweep", "equivalent" if swept.converse else "refines") if swept and swept.equal else None

    def _of_survivor(self, task: Task, random: Random, chosen: bool) -> tuple[tuple[str, ...], str]:
        """The columns of what quick runs do not tell apart: all of hecv is asked of what is `chosen`."""
        proof = self._proof(task, True) if not chosen else None
        if proof is None:
            return self._of_verdict(task, random) if chosen else (("mutants", "open"), "")
        wrong = self._refuted(task, proof[1], random) if proof[1] != "killed" else None
        return ("mutants", proof[1] if wrong is None else "wrong"), wrong or ""

    def _of_verdict(self, task: Task, random: Random) -> tuple[tuple[str, ...], str]:
        report = decide(task, lambda stage, runs: None)
        match report.verdict:
            case "error":
                return ("mutants", "wrong"), "; ".join(d.message for d in report.diagnostics)
            case "not-equivalent":
                proof = self._proof(task)
                columns = ("killed", "tried") if proof is None else ("tried", "wrong")
                return ("mutants", *columns), f"{proof[0]}, but hecv refutes it" if proof else ""
            case "unknown":
                return ("mutants", "unknown"), _reason(report)
            case verdict:
                wrong = self._refuted(task, verdict, random)
                return ("mutants", verdict if wrong is None else "wrong"), wrong or ""

    def _refuted(self, task: Task, verdict: str, random: Random) -> str | None:
        """A run that contradicts a verdict; None where there is none, or runs do not tell."""
        first, second = read_pair(task.modules, task.names, TermPool())
        if not self._is_told(task, (first, second)):
            return None
        return contradicted((first, second), verdict, random, MORE_RUNS, MORE_TRIES, STEPS)

    @staticmethod
    def _is_told(task: Task, functions: tuple[Function, Function]) -> bool:
        """Whether a run of this file's own says what every execution does."""
        return all(map(_tells, functions)) and task.switches == Switches() and not task.constraints


def _reason(report: FunctionReport) -> str:
    return "" if report.unknown is None else report.unknown.reason


def _function_at(text: str, line: int, names: Sequence[str], random: Random) -> str:
    """The function that a line stands in; any where it stands in none that others see."""
    above = re.findall(r"func\.func (?:public )?@([\w$.]+)", "\n".join(text.split("\n")[:line]))
    return above[-1] if above and above[-1] in names else random.choice(names)


def _tells(function: Function) -> bool:
    """Whether a run says what every execution does."""
    loose = chooses(function) or any(licensed(t.attrs) for t in terms_of(function))
    return function.known and not loose and not function.callees


def _finished(
    function: Function, code: Executable, random: Random, runs: int, tries: int
) -> list[tuple[tuple[Value, ...], Finished]]:
    """Inputs on which a function finishes, and how."""
    found: list[tuple[tuple[Value, ...], Finished]] = []
    for arguments in islice(inputs(function, random), tries):
        end = code.run(arguments, STEPS)
        if isinstance(end, Finished):
            found.append((arguments, end))
        if len(found) == runs:
            break
    return found
