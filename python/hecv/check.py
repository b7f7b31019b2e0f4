"""`hecv check`, the map: texts to modules, modules to pairs of functions, a worker for each pair, verdicts to a report.

parse both  ->  pair functions by name  ->  compare signatures  ->  read assumptions      (here; errors exit 2)
            ->  one worker a pair: read, run, prove, run again where the proof stopped    (`hecv.verdict.decide`)
            ->  the worst verdict counts                                                  (`hecv.verdict.result`)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter

from hecv.base.diag import Diagnostic, InputError
from hecv.frontend.mlir import ParsedModule, Signature, functions, parse, same_signature
from hecv.verdict.assumptions import Constraint, Parameter, parse_assumption
from hecv.verdict.case import Task
from hecv.verdict.decide import decide
from hecv.verdict.result import FunctionReport, Relation, Report, Unknown, summarize
from hecv.verdict.strategy import Strategy
from hecv.verdict.switches import Switches
from hecv.verdict.worker import Limits, Stopped, run_all

Progress = Callable[[str, str, float], None]
"""Called with the function, what is done on it now, and for how many seconds."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line sets. `functions` are names; none means all. `jobs` run at a time, else one a core."""

    functions: tuple[str, ...] = ()
    relation: Relation = "refines"
    assume: tuple[str, ...] = ()
    seconds: float = 60.0
    megabytes: int = 8192
    seed: int = 0
    jobs: int | None = None
    switches: Switches = field(default_factory=Switches)
    strategy: Strategy = field(default_factory=Strategy)


def check(
    source_text: str,
    target_text: str,
    names: tuple[str, str],
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
) -> Report:
    """Whether each public function of the target refines that of the source; `names` are the files' names."""
    started = perf_counter()
    try:
        modules = parse(source_text, names[0]), parse(target_text, names[1])
    except InputError as problem:
        return _replace(failed((), options), problem.diagnostics, started)
    return _replace(check_modules(modules, options, progress), (), started)


def check_modules(
    modules: tuple[ParsedModule, ParsedModule],
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
    unchanged: Container[str] = frozenset(),
) -> Report:
    """`check` on modules, without the functions that are known to be `unchanged`; where these are all, equivalent."""
    started = perf_counter()
    report = failed((), options)
    declared = options.strategy.declared
    modules = replace(modules[0], declared=declared), replace(modules[1], declared=declared)
    files = (modules[0].file, modules[1].file)
    try:
        pairs, warnings = _pair(functions(modules[0]), functions(modules[1]), files, options.functions)
        constraints = _assumptions([source for source, _ in pairs], options.assume)
    except InputError as problem:
        return _replace(report, problem.diagnostics, started)
    chosen = [(p, given) for p, given in zip(pairs, constraints, strict=True) if p[0].name not in unchanged]
    verdicts = _decide(modules, chosen, options, progress)
    report = summarize(report, verdicts) if verdicts else replace(report, verdict="equivalent")
    return _replace(report, warnings, started)


def failed(diagnostics: Sequence[Diagnostic], options: Options) -> Report:
    """The report on input that could not be read at all."""
    return Report("error", options.relation, 0.0, options.seed, tuple(diagnostics))


def _replace(report: Report, more: Sequence[Diagnostic], started: float) -> Report:
    return Report(
        report.verdict,
        report.relation,
        perf_counter() - started,
        report.seed,
        (*more, *report.diagnostics),
        report.functions,
        report.internal,
    )


# Pairing


def _pair(
    sources: Sequence[Signature], targets: Sequence[Signature], files: tuple[str, str], wanted: Sequence[str]
) -> tuple[list[tuple[Signature, Signature]], list[Diagnostic]]:
    """Public functions by name, a single one on each side whatever its name; and what has no partner in the source.

    Raises: InputError where a function is missing or has another signature.
    """
    if not sources:
        hint = "private functions count only through their callers"
        raise InputError(Diagnostic("error", "no-function", f"{files[0]} has no public function", help=hint))
    if len(sources) == len(targets) == 1:
        pairs = [(sources[0], targets[0])]
    else:
        by_name = {t.name: t for t in targets}
        chosen = [s for s in sources if s.name in wanted] if wanted else sources
        _require(chosen, by_name, files[1])
        pairs = [(s, by_name[s.name]) for s in chosen]
    _require_wanted(wanted, sources, files[0])
    problems = [d for s, t in pairs for d in _signature_problems(s, t)]
    if problems:
        raise InputError(*problems)
    paired = {t.name for _, t in pairs}
    extra = [t for t in targets if t.name not in paired and not wanted]
    return pairs, [Diagnostic("warning", "extra-function", _extra_text(t), t.location) for t in extra]


def _extra_text(extra: Signature) -> str:
    return f"@{extra.name} is public in the target only: it is compared with nothing"


def _require_wanted(wanted: Sequence[str], sources: Sequence[Signature], file: str) -> None:
    known = {s.name for s in sources}
    hint = "there are: " + ", ".join(f"@{s.name}" for s in sources)
    missing = [
        Diagnostic("error", "missing-function", f"{file} has no public function @{name}", help=hint)
        for name in wanted
        if name not in known
    ]
    if missing:
        raise InputError(*missing)


def _require(sources: Sequence[Signature], targets: dict[str, Signature], file: str) -> None:
    hint = f"public functions of the target: {', '.join('@' + n for n in targets) or 'none'}"
    missing = [
        Diagnostic("error", "missing-function", f"{file} has no public function @{s.name}", s.location, hint)
        for s in sources
        if s.name not in targets
    ]
    if missing:
        raise InputError(*missing)


def _signature_problems(source: Signature, target: Signature) -> list[Diagnostic]:
    if same_signature(source, target):
        return []
    message = f"@{target.name} has type {target.type_text}, expected {source.type_text}"
    hint = "a transformation has to keep the signature, extents of memrefs included"
    return [
        Diagnostic("error", "signature-mismatch", message, target.location, hint),
        Diagnostic("note", "signature-mismatch", f"the source's @{source.name} is here", source.location),
    ]


# Assumptions


def _assumptions(sources: Sequence[Signature], texts: Sequence[str]) -> list[tuple[Constraint, ...]]:
    """The constraints for each function; a text applies to the functions that have the arguments it names.

    Raises: InputError where a text fits no function.
    """
    given: list[list[Constraint]] = [[] for _ in sources]
    for line, text in enumerate(texts, 1):
        problem: InputError | None = None
        fits = False
        for constraints, source in zip(given, sources, strict=True):
            named = zip(source.argument_names, source.argument_types, strict=True)
            parameters = [Parameter(k, n, t) for k, (n, t) in enumerate(named)]
            try:
                constraints.extend(parse_assumption(text, line, parameters))
                fits = True
            except InputError as error:
                problem = problem or error
        if problem is not None and not fits:
            raise problem
    return [tuple(constraints) for constraints in given]


# Workers


def _decide(
    modules: tuple[ParsedModule, ParsedModule],
    pairs: Sequence[tuple[tuple[Signature, Signature], tuple[Constraint, ...]]],
    options: Options,
    progress: Progress,
) -> tuple[FunctionReport, ...]:
    """The verdicts on the pairs, each under its constraints and from a worker of its own."""
    switches, strategy, seed = options.switches, options.strategy, options.seed
    crosscheck = os.environ.get("HECV_CROSSCHECK") == "1"
    tasks = [
        Task(modules, (source.name, target.name), given, switches, strategy, seed, crosscheck)
        for (source, target), given in pairs
    ]
    outcomes = run_all(
        [partial(decide, task) for task in tasks],
        Limits(options.seconds, options.megabytes),
        lambda number, *now: progress(tasks[number].names[0], *now),
        options.jobs or len(os.sched_getaffinity(0)),
    )
    return tuple(
        outcome if isinstance(outcome, FunctionReport) else _stopped(source, target, outcome)
        for ((source, target), _), outcome in zip(pairs, outcomes, strict=True)
    )


def _stopped(source: Signature, target: Signature, outcome: Stopped) -> FunctionReport:
    """The verdict where the worker ended without one."""
    if outcome.reason == "exception":
        hint = "this is a bug of hecv: please report it with both files"
        message = f"hecv failed on @{source.name} while {outcome.stage}\n{outcome.text.rstrip()}"
        diagnostic = Diagnostic("error", "internal-error", message, None, hint)
        return FunctionReport(source.name, "error", outcome.seconds, runs=outcome.runs, diagnostics=(diagnostic,))
    crashed = outcome.reason == "crash"
    text = f"{outcome.text} while {outcome.stage}"
    return FunctionReport(
        source.name,
        "unknown",
        outcome.seconds,
        runs=outcome.runs,
        stop_reason=None if crashed else outcome.reason,
        unknown=Unknown("crash" if crashed else "budget", text, target.location),
    )
