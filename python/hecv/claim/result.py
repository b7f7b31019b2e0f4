"""The result of a check: verdicts with everything that a report prints, as plain data that a pipe can carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, Location
from hecv.base.types import Type
from hecv.base.value import Value

if TYPE_CHECKING:
    from hecv.claim.idea import Idea
    from hecv.kernel.certificate.file_format import FunctionProof

Verdict = Literal["equivalent", "refines", "not-equivalent", "unknown", "error"]
Relation = Literal["refines", "equivalent"]
Evidence = Literal["proved", "tested", "trusted"]
Engine = Literal["interpreter", "slice", "jit", "torch"]
Kind = Literal["value", "undefined-behavior", "poison", "race", "nontermination", "calls"]

WORST_FIRST: Final[tuple[Verdict, ...]] = ("error", "not-equivalent", "unknown", "refines", "equivalent")


class Assumption(Struct, frozen=True):
    """What a verdict takes for granted, and the switch that changes it."""

    id: str
    text: str
    switch: str | None


class RuleUse(Struct, frozen=True):
    """A rule, and how often the proof used it."""

    name: str
    kind: Literal["static", "dynamic"]
    uses: int
    evidence: Evidence


class Place(Struct, frozen=True):
    """A statement in a source file, with its op if the text shows it."""

    location: Location
    op: str | None


class Localization(Struct, frozen=True):
    """The statements that a verdict depends on."""

    source: Place | None
    target: Place | None
    because: str


class Unknown(Struct, frozen=True):
    """Why neither a proof nor a counterexample was found."""

    reason: Literal["unsupported-op", "solver", "budget", "no-proof", "crash"]
    text: str
    location: Location | None


class Binding(Struct, frozen=True):
    """A named value: `key` is stable (`arg0`, `result1`), `name` is that of the source file, `text` the type in the
    source."""

    key: str
    name: str
    type: Type
    value: Value
    text: str


class Trap(Struct, frozen=True):
    """Undefined behaviour that a run met."""

    text: str
    location: Location | None


class Divergence(Struct, frozen=True):
    """A call of a function without a body that differs from the source's, or is missing."""

    text: str
    location: Location | None


class Counterexample(Struct, frozen=True):
    """An input on which both functions were run, and what each of them did.

    `source` and `target` hold the results and the memrefs that either run changed. `difference` describes the first
    difference. `calls` are the source's calls of functions without a body, with the answers that were assumed.
    `returned` says which buffers the source and the target return, if these differ.
    """

    kind: Kind
    inputs: tuple[Binding, ...]
    source: tuple[Binding, ...]
    target: tuple[Binding, ...] | Trap | Divergence
    engines: tuple[Engine, ...]
    difference: str
    calls: tuple[str, ...] = ()
    returned: tuple[str, str] | None = None


class Proof(Struct, frozen=True):
    """The cost of the proof; `statements` counts those of the source and the target after re-rolling."""

    visits: int
    widenings: int
    statements: tuple[int, int]
    seconds: float


class Saturation(Struct, frozen=True):
    """The cost of the e-graph: rounds of saturation, e-classes and e-nodes of the largest graph, dynamic equalities
    that were added, and seconds by phase."""

    rounds: int
    classes: int
    nodes: int
    dynamic: int
    phases: tuple[tuple[str, float], ...]


class ModelRule(Struct, frozen=True):
    """A rule that pairs of values of two models state: its kind (layout, fusion, algebraic), what shows it, its
    statement, and by the lines of both models how often it fired there."""

    name: str
    kind: str
    evidence: str
    statement: str
    fired: tuple[tuple[str, int], ...]
    known: bool = False
    """Whether the rule library had it."""


class ModelPairs(Struct, frozen=True):
    """The relation between two models: repeated blocks, ops of the source and the target, pairs of equal values that a
    run proposed, those that were proved and by what, the target's parameters over the source's, and the rules that
    pairs state."""

    layers: int
    ops: tuple[int, int]
    candidates: int
    proved: int
    methods: tuple[tuple[str, int], ...]
    parameters: tuple[tuple[str, str], ...]
    rules: tuple[ModelRule, ...] = ()


class FunctionReport(Struct, frozen=True):
    """The verdict on one pair of functions.

    `phases`: seconds by phase. `diagnostics`: for the report as a whole. `error`: hecv's own, unless the input was
    `rejected`. `chunk`: the number of its program, if the files have several. `prover`: the one that found the proof
    (`hecv.prove.portfolio`); `passes`: the normal-form passes that the proof rests on. If the proof was to be recorded
    there is a `certificate`, or the reason why the proof is `uncertified`. `locations` are those of the functions;
    `help` says what would change an answer, `ideas` are what may, and is still to be tried. The verdict is for what
    meets the `conditions`: sizes in their ranges.
    """

    name: str
    verdict: Verdict
    seconds: float = 0.0
    evidence: Evidence | None = None
    engine: str | None = None
    prover: str | None = None
    passes: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    rules: tuple[RuleUse, ...] = ()
    runs: int = 0
    runs_skipped: str | None = None
    stop_reason: str | None = None
    unknown: Unknown | None = None
    counterexample: Counterexample | None = None
    localization: Localization | None = None
    notes: tuple[str, ...] = ()
    proof: Proof | None = None
    saturation: Saturation | None = None
    models: ModelPairs | None = None
    phases: tuple[tuple[str, float], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    rejected: bool = False
    certificate: FunctionProof | None = None
    uncertified: str | None = None
    locations: tuple[Location | None, Location | None] = (None, None)
    help: tuple[str, ...] = ()
    ideas: tuple[Idea, ...] = ()
    chunk: int | None = None
    conditions: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The function as reports name it."""
        return titled(self.name, self.chunk)


def titled(name: str, chunk: int | None) -> str:
    """A function as reports name it: `@f`, or `chunk 2: @f` in a file of several programs."""
    return f"@{name}" if chunk is None else f"chunk {chunk}: @{name}"


class Report(Struct, frozen=True):
    """The result of one `check`; `internal` tells an error of hecv from one in the input."""

    verdict: Verdict
    relation: Relation
    seconds: float
    seed: int
    diagnostics: tuple[Diagnostic, ...] = ()
    functions: tuple[FunctionReport, ...] = ()
    internal: bool = False


def summarize(report: Report, functions: tuple[FunctionReport, ...]) -> Report:
    """`report` with these functions, the worst of their verdicts and all of their diagnostics.

    Requires: at least one function.
    """
    verdicts = {f.verdict for f in functions}
    worst = next(v for v in WORST_FIRST if v in verdicts)
    diagnostics = tuple(dict.fromkeys((*report.diagnostics, *(d for f in functions for d in f.diagnostics))))
    internal = any(f.verdict == "error" and not f.rejected for f in functions)
    return replace(report, verdict=worst, diagnostics=diagnostics, functions=functions, internal=internal)


def exit_code(report: Report) -> int:
    """The exit status of the verdict."""
    match report.verdict:
        case "equivalent":
            return 0
        case "refines":
            return 3 if report.relation == "equivalent" else 0
        case "not-equivalent":
            return 1
        case "unknown":
            return 3
        case "error":
            return 4 if report.internal else 2
