"""What becomes of mutants: one process reads each pair once, and judges one mutant after the other.

What a quick run tells apart is killed. All that is killed is given to the engines that prove, and none may succeed: to
those that are quick, and every so often to one that takes long. What is left alive is given to the quick ones, and
where these fail every so often to all of hecv; what is then said to be equal is held against runs of more inputs, and
every so often against what MLIR computes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Final

from torch_mlir import ir

from hecv.base.diagnostics import InputError, Unsupported
from hecv.base.memo import Once
from hecv.base.term import TermPool
from hecv.base.value import Buffer, Value
from hecv.claim.assumptions import Constraint
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.mlir.importer import ParsedModule, functions, new_context, parse, read_alone
from hecv.ops.registry import licensed
from hecv.program.structural_equality import same_program
from hecv.program.tree import Function
from hecv.prove.pair.pair_context import Known, Task, read
from hecv.run.interpreter.interpreter import Finished, Freedom, Outcome, compile
from hecv.run.interpreter.outcome_analysis import chooses, terms_of
from hecv.verdict.decision import decide
from hecv.verdict.pairing import constraints_of

from .attempts import attempt, read_case
from .confirming import confirmed
from .mutants import EDITS, Edit, Mutant, edits_of, kind_of
from .running import conclusive, inputs, public, unequal, unrefined
from .subjects import GROWERS, REARRANGED, Subject, grown
from .tasting import Taster

COLUMNS: Final = (
    *("mutants", "killed", "tried", "flow", "elements", "long", "swept", "theorems", "last"),
    *("open", "unknown", "refines", "equivalent", "compiled", "wrong"),
)
"""`killed` by a run; of these, `tried` were given to engines that prove: array dataflow with a small budget (`flow`) or
a large one (`long`), normal forms of elements, sweeps, loop theorems and what is asked `last`. Neither run nor proved
in short are those `open` and, of which all of hecv was asked, `unknown`. Of what is called equal some are `compiled`
and run by MLIR."""

STEPS: Final = 20_000
RUNS, MORE_RUNS = 8, 24
"""Inputs on which the source finishes: for a quick run, and for what is called equal."""
TRIES: Final = 120
MOST_ELEMENTS: Final = 4_000
"""An input with more is drawn again, as long as there are others."""

SEARCH_SECONDS: Final = 0.1
"""For hecv's own runs, where licences or switches let these say less."""

COMPILED: Final = 4
SAME_COMPILED: Final = 32
"""Of what is proved and that runs tell of, MLIR runs one in so many; fewer of what is read as the source is."""

DECIDED: Final = 4
"""Of what is left alive, hecv is asked of one in so many of those that slow engines are asked of."""

MISSES: Final = 60
"""So many edits may be no programs."""
DRAWN: Final = 12
"""So many times an edit of a line is drawn: many have more than one outcome."""
TURNS: Final = 8
BLOCK: Final = TURNS * len(EDITS)
"""So many mutants in a row, of each kind and of all, share random programs."""
SHARE: Final = TURNS // 2
"""So many edits of a kind are made at a visit to a fixed subject: half of those of a block."""
NEAR: Final = 4
"""So many random programs are looked through for one that has a kind of edit."""
SEEDS_OWN: Final = 1_000_000 * len(GROWERS)
"""So many random programs belong to a seed."""
FEW: Final = 16
"""Inputs on which a random program is tried."""
KEPT: Final = 5_000
"""So many modules a context takes: it keeps all that it was ever given."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant of kind `kind`, made of `subject` on a line, and the columns it counts in. What has another `digest` is
    another mutant."""

    kind: str
    subject: str
    line: int
    digest: int
    columns: tuple[str, ...]
    said: str = ""
    texts: tuple[str, str] = ("", "")


_Visit = tuple[Subject, Mapping[str, list[Mutant]]]
"""A fixed subject, and edits of each kind that are judged one after the other."""

Runs = Sequence[tuple[tuple[Value, ...], Outcome]]
"""Inputs, and how a function ends on them."""


@dataclass(slots=True)
class _Shared:
    """What the mutants of one function share: what is known of its source, and how that ends on some inputs."""

    known: Known = field(default_factory=Known)
    runs: Runs | None = None


@dataclass(frozen=True, slots=True)
class _Ready:
    """The source of a subject, parsed; what mutants share is kept by function."""

    module: ParsedModule
    names: tuple[str, ...]
    constraints: Mapping[str, tuple[Constraint, ...]]
    shared: Mapping[str, _Shared]


class Judge:
    """Judges mutants by number, no two of a kind the same: of the `fixed` subjects in turn with random programs, unless
    none are to grow.

    `every` tells of how many one is given to the engines that take long, or to all of hecv. The edits of the fixed
    subjects are shared out among the first `parts` seeds.
    """

    def __init__(
        self,
        fixed: Sequence[Subject],
        seed: int,
        every: int = 1,
        seconds: float = 10.0,
        parts: int = 1,
        growing: bool = False,
    ) -> None:
        self._fixed, self._parts, self._growing = fixed, parts, growing
        self._seed, self._every, self._seconds = seed, every, seconds
        self._ready: dict[str, _Ready] = {}
        self._grown: dict[int, Subject] = {}
        self._edits: dict[int, dict[str, list[Mutant]]] = {}
        self._context: ir.Context | None = None
        self._made = 0
        self._taster = Taster()
        self._laws = Once()
        self._visits = self._visited()

    def _visited(self) -> list[_Visit]:
        """The edits of the fixed subjects that are the seed's own, in visits that are in an order of its own."""
        visits: list[_Visit] = []
        for subject in self._fixed if self._seed < self._parts or self._parts == 1 else ():
            made = {kind_of(edit): self._owned(subject, edit) for edit in EDITS}
            for first in range(0, max(map(len, made.values())), SHARE):
                visits.append((subject, {kind: own[first : first + SHARE] for kind, own in made.items()}))
        Random(self._seed).shuffle(visits)
        return visits

    def _owned(self, subject: Subject, edit: Edit) -> list[Mutant]:
        drawn = edits_of(subject.target, edit, Random(f"{kind_of(edit)} {subject.name}"), DRAWN)
        return [m for m in drawn if _digest(subject, m) % self._parts == self._seed % self._parts]

    def __call__(self, number: int) -> Judged | None:
        """What becomes of the mutant of that number; None where the edits that were drawn made no program."""
        edit, random = EDITS[number % len(EDITS)], Random(f"{self._seed} {number}")
        for subject, mutant in self._drawn(edit, number):
            ready = self._read(subject)
            if ready is None:
                continue
            module = self._parsed(mutant.text)
            if module is None:
                continue
            name = _function_at(mutant.text, mutant.line, ready.names, random)
            columns, said = self._judged(subject, ready, module, name, number)
            if columns:
                texts = (subject.source, mutant.text) if "wrong" in columns else ("", "")
                digest = _digest(subject, mutant)
                return Judged(kind_of(edit), f"{subject.name} @{name}", mutant.line, digest, columns, said, texts)
        return None

    def _parsed(self, text: str) -> ParsedModule | None:
        """The module of a mutant; None where it is no program."""
        known = self._taster(text)
        if known is False:
            return None
        try:
            return parse(text, "mutant.mlir", self._context, guarded=known is not True)
        except InputError:
            return None

    # What is judged.

    def _drawn(self, edit: Edit, number: int) -> Iterator[tuple[Subject, Mutant]]:
        """Mutants with an edit, of which the first that is a program goes with the number."""
        turn, kind = number // len(EDITS), kind_of(edit)
        if not self._growing:
            own = ((subject, m) for subject, made in self._visits for m in made[kind])
            yield from islice(own, turn, turn + MISSES)
            return
        visit, place = divmod(turn, TURNS)
        if place % 2 == 0 and visit < len(self._visits):
            subject, made = self._visits[visit]
            yield from ((subject, m) for m in made[kind][place // 2 : place // 2 + 1])
        yield from self._of_grown(edit, number)

    def _of_grown(self, edit: Edit, number: int) -> Iterator[tuple[Subject, Mutant]]:
        """Mutants of the random programs that go with a number: no two numbers have the same one."""
        last, turn = number // BLOCK, number % BLOCK // len(EDITS)
        for distance in range(min(NEAR, last + 1)):
            block = last - distance
            if block not in self._grown:
                self._forget(block - NEAR)
                self._grown[block] = self._grow(block)
            first, period = TURNS * distance + turn, TURNS * NEAR
            yield from ((self._grown[block], m) for m in self._edits_of(block, edit)[first : 3 * period : period])
            if distance == 0:
                yield from self._of_companion(block, edit, turn)

    def _of_companion(self, block: int, edit: Edit, turn: int) -> Iterator[tuple[Subject, Mutant]]:
        """Mutants of another program of a block, for the kinds of edits that seldom have a place."""
        companion = -1 - block
        if companion not in self._grown:
            self._grown[companion] = grown(self._seed * SEEDS_OWN + SEEDS_OWN // 8 + len(GROWERS) * block + REARRANGED)
        made = self._edits_of(companion, edit)[turn::TURNS][:3]
        yield from ((self._grown[companion], m) for m in made)

    def _edits_of(self, block: int, edit: Edit) -> list[Mutant]:
        """All edits of a kind of a random program."""
        made, kind = self._edits.setdefault(block, {}), kind_of(edit)
        if kind not in made:
            found = edits_of(self._grown[block].target, edit, Random(f"{self._seed} {block} {kind}"), DRAWN)
            made[kind] = [*{m.text: m for m in found}.values()]  # one of two equal statements is as good as the other
        return made[kind]

    def _grow(self, block: int) -> Subject:
        """A random program of which runs tell something, unless a few in a row are undefined or too long."""
        first = self._seed * SEEDS_OWN + block
        subject = grown(first)
        for number in range(first + SEEDS_OWN // NEAR, first + SEEDS_OWN, SEEDS_OWN // NEAR):
            if finishes(subject):
                break
            subject = grown(number)
        return subject

    def _forget(self, block: int) -> None:
        for old in [b for b in self._grown if max(b, -1 - b) <= block]:
            self._ready.pop(self._grown.pop(old).name, None)
            self._edits.pop(old, None)

    def _read(self, subject: Subject) -> _Ready | None:
        if self._context is None or self._made > KEPT:
            self._context, self._made = new_context(), 0
            self._ready.clear()
        self._made += 1
        if subject.name not in self._ready:
            module = parse(subject.source, "source.mlir", self._context)
            found = [f for f in functions(module) if f.has_body]
            given = constraints_of(found, subject.assume)
            named = {f.name: g for f, g in zip(found, given, strict=True)}
            self._ready[subject.name] = _Ready(module, tuple(named), named, {name: _Shared() for name in named})
        return self._ready[subject.name] if self._ready[subject.name].names else None

    # What becomes of it.

    def _judged(
        self, subject: Subject, ready: _Ready, module: ParsedModule, name: str, number: int
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
        turn = number // len(EDITS) // self._every if number // len(EDITS) % self._every == 0 else None
        shared = ready.shared[name]
        known = Known(shared.known.pool, shared.known.once, self._laws)
        if turn is not None:  # slow engines see the terms in the order of the programs
            known = Known()
        try:
            pair = read(task, known)
        except Unsupported:
            return _of_verdict(task, None) if turn is not None else (("mutants", "open"), "")
        if [str(a.type) for a in pair[0].inputs()] != [str(a.type) for a in pair[1].inputs()]:
            return (), ""
        told = _is_told(task, pair, known)
        if told and shared.runs is None:
            random = Random(f"{self._seed} {subject.name} {name}")
            shared.runs = _outcomes(pair[0], random, subject.switches.index_width)
        columns, said = _decided(task, pair, known, shared.runs if told else None, turn)
        proved = told and {"equivalent", "refines"} & {*columns}
        if proved and shared.runs and number % (SAME_COMPILED if same_program(*pair) else COMPILED) == 0:
            ran, wrong = confirmed(module, pair[1], shared.runs, subject.switches.index_width)
            columns = ("mutants", "wrong") if wrong is not None else (*columns, "compiled") if ran else columns
            said = wrong or said
        return columns, said


def _decided(
    task: Task, pair: tuple[Function, Function], known: Known, runs: Runs | None, turn: int | None
) -> tuple[tuple[str, ...], str]:
    """The columns of a mutant by `runs` of the source; None where runs do not tell."""
    if runs is not None and same_program(*pair):
        wrong = _refuted(task, pair[1], known, "equivalent", runs)
        return ("mutants", "equivalent" if wrong is None else "wrong"), f"identical, but {wrong}" if wrong else ""
    killed = None if runs is None else _refuted(task, pair[1], known, "refines", runs[:RUNS])
    case = read_case(task, known)
    if case is not None and runs is None:
        difference = case.inputs.search(SEARCH_SECONDS, RUNS)
        killed = None if difference is None else "hecv's own runs tell them apart"
    made = None if case is None else attempt(case, turn)
    columns = () if made is None else made.columns
    proof = None if made is None else made.proof
    match killed, proof:
        case str(), None:
            return ("mutants", "killed", *columns), ""
        case str(), (prover, verdict):
            return ("mutants", *columns, "wrong"), f"{verdict} by {prover}, but {killed}"
        case None, (prover, verdict):
            wrong = None if runs is None else _refuted(task, pair[1], known, verdict, runs)
            return ("mutants", verdict if wrong is None else "wrong"), f"{verdict} by {prover}, but {wrong}"
        case _ if turn is None or turn % DECIDED:
            return ("mutants", "open"), ""
        case _:
            found, said = _of_verdict(task, runs, pair[1])
            return (*found, *columns) if "killed" in found else found, said


def _of_verdict(task: Task, runs: Runs | None, target: Function | None = None) -> tuple[tuple[str, ...], str]:
    """The columns of what quick runs and provers leave alive, by the verdict of all of hecv."""
    report = decide(task, lambda stage, runs: None)
    match report.verdict:
        case "error":
            return ("mutants", "wrong"), "; ".join(d.message for d in report.diagnostics)
        case "not-equivalent":
            return ("mutants", "killed"), ""
        case "unknown":
            return ("mutants", "unknown"), _reason(report)
        case verdict:
            wrong = None if runs is None or target is None else _refuted(task, target, Known(), verdict, runs)
            return ("mutants", verdict if wrong is None else "wrong"), wrong or ""


def _refuted(task: Task, target: Function, known: Known, verdict: str, runs: Runs) -> str | None:
    """A run that contradicts a verdict; None where there is none."""
    code = known.once(compile, target, index_width=task.switches.index_width, freedom=Freedom(overwrites=True))
    for arguments, end in runs:
        other = code.run(arguments, 4 * STEPS)
        if not conclusive(other):
            continue
        wrong = unequal(end, other) if verdict == "equivalent" else unrefined(end, other)
        if wrong is not None:
            return f"{wrong} on {arguments}"
    return None


def _is_told(task: Task, pair: tuple[Function, Function], known: Known) -> bool:
    """Whether a run of this file's own says what every execution does."""
    usual = task.switches == Switches(index_width=task.switches.index_width) and not task.constraints
    return usual and known.once(_tells, pair[0]) and _tells(pair[1])


def _tells(function: Function) -> bool:
    """Whether a run says what every execution does."""
    loose = chooses(function) or any(licensed(t.attrs) for t in terms_of(function))
    return function.known and not loose and not function.callees


def _outcomes(function: Function, random: Random, index_width: int) -> Runs:
    """Inputs and how a function ends on them; those on which it finishes are first."""
    code = compile(function, index_width=index_width)
    finished: list[tuple[tuple[Value, ...], Outcome]] = []
    undefined: list[tuple[tuple[Value, ...], Outcome]] = []
    for arguments in islice(inputs(function, random), TRIES):
        large = sum(len(v.data) for v in arguments if isinstance(v, Buffer)) > MOST_ELEMENTS
        if large and (finished or undefined):
            continue
        end = code.run(arguments, STEPS)
        if conclusive(end):
            (finished if isinstance(end, Finished) else undefined).append((arguments, end))
        if len(finished) == MORE_RUNS:
            break
    return [*finished, *undefined[:MORE_RUNS]]


def finishes(subject: Subject) -> bool:
    """Whether some input is found on which the source finishes."""
    try:
        function = read_alone(parse(subject.source, "source.mlir"), public(subject.source), TermPool())
        code = compile(function)
    except Unsupported:
        return False
    given = islice(inputs(function, Random(0)), FEW)
    return any(isinstance(code.run(arguments, STEPS), Finished) for arguments in given)


def _function_at(text: str, line: int, names: Sequence[str], random: Random) -> str:
    """The function that a line stands in; any where it stands in none that others see."""
    above = re.findall(r"func\.func (?:public )?@([\w$.]+)", "\n".join(text.split("\n")[:line]))
    return above[-1] if above and above[-1] in names else random.choice(names)


def _digest(subject: Subject, mutant: Mutant) -> int:
    return int.from_bytes(hashlib.blake2b(f"{subject.name} {mutant.text}".encode(), digest_size=8).digest(), "big")


def _reason(report: FunctionReport) -> str:
    return "" if report.unknown is None else report.unknown.reason
