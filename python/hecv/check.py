"""`hecv check`: pairs the functions of two files by name, decides each pair in a worker, reports the worst verdict.

parse both  ->  pair functions by name  ->  compare signatures  ->  read assumptions      (here; errors exit 2)
            ->  in a worker: read, run, prove, run again where the proof stopped          (`hecv.verdict.decision`)
            ->  the worst verdict counts                                                  (`hecv.claim.result`)

Two texts with one function each are parsed in the worker instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.base.system_errors import HELP as SYSTEM
from hecv.claim.assumptions import Constraint
from hecv.claim.result import FunctionReport, Relation, Report, Unknown, summarize
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.mlir.importer import ParsedModule, Signature, parse_both
from hecv.mlir.module.crash_guard import bounded
from hecv.mlir.module.scalable_lanes import as_lanes
from hecv.mlir.module.source_text import display_name
from hecv.mlir.module.split_input import MARKER, split_input
from hecv.mlir.module.unregistered_ops import as_calls
from hecv.mlir.module.verifier_hangs import may_not_return
from hecv.process.worker_main import Stage
from hecv.process.worker_pool import Limits, Stopped, run_all, run_apart
from hecv.prove.pair.pair_context import Task
from hecv.verdict.advice import of_unknown
from hecv.verdict.decision import decide
from hecv.verdict.idea_trials import advised
from hecv.verdict.pairing import constraints_of, pair_programs

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Options as Meaning

PARSING: Final = "parsing"

Progress = Callable[[str, str, float], None]
"""Called with a function's name, the stage that it is in, and the seconds so far."""


class Options(Struct, frozen=True):
    """The options of one check, as the command line sets them.

    `functions` are names; empty means all. `split` is what separates the programs of a file, None for the usual marker
    where both files have it. `seconds` are by the clock, for each function; the command line has 60. `jobs` is how many
    workers run at a time, None for one a core. With `recording`, proofs are written down as certificates. With
    `advise`, what may turn an answer is tried, for a few seconds more.
    """

    functions: tuple[str, ...] = ()
    relation: Relation = "refines"
    assume: tuple[str, ...] = ()
    seconds: float = 240.0
    megabytes: int = 8192
    seed: int = 0
    jobs: int | None = None
    switches: Switches = field(default_factory=Switches)
    strategy: Strategy = field(default_factory=Strategy)
    recording: bool = False
    advise: bool = False
    split: str | None = None


def check(
    source_text: str,
    target_text: str,
    names: tuple[str, str],
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
) -> Report:
    """Checks that each public function of the target refines the source's function of the same name.

    `names` are the names of the files in diagnostics. An input error becomes a report with the verdict `error`.
    """
    started = perf_counter()
    texts = source_text, target_text
    outcome = _checked_apart(texts, names, options, progress) if _may_be_apart(texts, options) else None
    if isinstance(outcome, Report):
        return _replace(_advised_apart(outcome, texts, names, options, progress), (), started)
    try:
        chunks = _parsed_chunks(texts, names, options.split)
        if options.recording and len(chunks) > 1:
            hint = "write each chunk to files of its own, as by split-file"
            raise InputError(Diagnostic("error", "usage", "a certificate is about one program", help=hint))
    except InputError as problem:
        return _replace(failed((), options), problem.diagnostics, started)
    spent = perf_counter() - started
    return _replace(check_chunks(chunks, options, progress, ended=outcome, spent=spent), (), started)


def _parsed_chunks(
    texts: tuple[str, str], names: tuple[str, str], marker: str | None
) -> list[tuple[ParsedModule, ParsedModule]]:
    """The programs of both texts, in order.

    Without a marker given, texts that both have the usual one are split by it. It is a comment if only one of them has
    it, or if a chunk is no program, but the whole is.

    Raises: InputError if there are not as many programs in both, or if one cannot be read.
    """
    chunks = split_input(texts[0], marker or MARKER), split_input(texts[1], marker or MARKER)
    counts = len(chunks[0]), len(chunks[1])
    try:
        if counts[0] != counts[1]:
            raise InputError(_chunks_differ(counts, names, marker or MARKER))
        return [parse_both(chunk, names) for chunk in zip(*chunks, strict=True)]
    except InputError as problem:
        found = problem
    if marker is None and counts != (1, 1) and (counts[0] == counts[1] or min(counts) == 1):
        with suppress(InputError):
            return [parse_both(texts, names)]
    raise found


def _chunks_differ(counts: tuple[int, int], names: tuple[str, str], marker: str) -> Diagnostic:
    shown = ["1 chunk" if n == 1 else f"{n} chunks" for n in counts]
    message = f"{display_name(names[0])} has {shown[0]}, {display_name(names[1])} has {shown[1]}"
    hint = f"{marker} separates chunks: the first is compared with the first, and so on"
    return Diagnostic("error", "chunks-differ", message, help=hint)


def check_modules(
    modules: tuple[ParsedModule, ParsedModule],
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
    unchanged: Container[str] = frozenset(),
) -> Report:
    """`check` on parsed modules.

    Functions known to be `unchanged` are left out; if none is left, the verdict is `equivalent`.
    """
    return check_chunks([modules], options, progress, [unchanged])


def check_chunks(
    chunks: Sequence[tuple[ParsedModule, ParsedModule]],
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
    unchanged: Sequence[Container[str]] = (),
    ended: Stopped | None = None,
    spent: float = 0.0,
) -> Report:
    """`check_modules` on the programs of files that have several: functions are named by the chunk that they are in.

    `ended` is how a worker stopped that was already given the only pair: it is not tried again. So many seconds of the
    time limit were `spent` on reading.
    """
    started = perf_counter()
    report = failed((), options)
    try:
        pairs, warnings = _paired([_prepared(modules, options) for modules in chunks], options)
    except InputError as problem:
        return _replace(report, problem.diagnostics, started)
    chosen = [p for p in pairs if not unchanged or p.name not in unchanged[(p.chunk or 1) - 1]]
    verdicts = _decide(chosen, options, progress, ended, spent)
    report = summarize(report, verdicts) if verdicts else replace(report, verdict="equivalent")
    return _replace(report, warnings, started)


class _Pair(Struct, frozen=True):
    """Two functions with the constraints on inputs under which they are compared; `name` is that of the report, and
    `chunk` the number of their programs if the files have several."""

    modules: tuple[ParsedModule, ParsedModule]
    source: Signature
    target: Signature
    name: str
    chunk: int | None = None
    constraints: tuple[Constraint, ...] = ()


def _prepared(modules: tuple[ParsedModule, ParsedModule], options: Options) -> tuple[ParsedModule, ParsedModule]:
    """The modules, with the ops that the user declares to be total functions, with calls for ops that nobody
    declares, and with functions of one lane for those on scalable vectors."""
    declared = options.strategy.declared
    first, second = as_lanes(as_calls(modules, declared))
    return replace(first, declared=declared), replace(second, declared=declared)


def _paired(
    chunks: Sequence[tuple[ParsedModule, ParsedModule]], options: Options
) -> tuple[list[_Pair], list[Diagnostic]]:
    """The pairs of functions with their constraints, and warnings.

    Raises: InputError.
    """
    found, several = list[_Pair](), len(chunks) > 1
    warnings = [d for modules in chunks for module in modules for d in module.warnings]
    for number, modules in enumerate(chunks, 1):
        pairs, more = pair_programs(modules, options.functions, several)
        warnings += more
        chunk = number if several else None
        found += [_Pair(m, source, target, name, chunk) for m, source, target, name in pairs]
    if several:
        _require_some(found, chunks[0], options.functions)
    constraints = constraints_of([pair.source for pair in found], options.assume)
    return [replace(pair, constraints=given) for pair, given in zip(found, constraints, strict=True)], warnings


def _require_some(pairs: Sequence[_Pair], files: tuple[ParsedModule, ParsedModule], wanted: Sequence[str]) -> None:
    """Raises: InputError if no chunk has a function that is to be compared."""
    missing = sorted({*wanted} - {pair.name for pair in pairs})
    if missing or not pairs:
        functions = "no public function" + (f" @{missing[0]}" if missing else "")
        message = f"{files[0].file} has {functions} in any chunk"
        raise InputError(Diagnostic("error", "missing-function" if missing else "no-function", message))


def failed(diagnostics: Sequence[Diagnostic], options: Options) -> Report:
    """The report on input that could not be read: verdict `error`, no functions."""
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


# Workers


def _decide(
    pairs: Sequence[_Pair],
    options: Options,
    progress: Progress,
    ended: Stopped | None,
    spent: float,
) -> tuple[FunctionReport, ...]:
    """The verdict on each pair, from a worker of its own; not tried again where the only pair's worker has `ended`.

    The seconds `spent` on reading are shared out among the pairs.
    """
    again, jobs = _replays(), _jobs(options)
    tasks = [_task(pair, options, max(1, jobs // max(1, len(pairs)))) for pair in pairs]
    outcomes: Sequence[FunctionReport | Stopped] = [ended] if ended and len(pairs) == 1 else []
    outcomes = outcomes or run_all(
        [partial(decide, task) for task in tasks],
        Limits(options.seconds, options.megabytes, spent / max(1, len(pairs))),
        lambda number, *now: progress(pairs[number].name, *now),
        jobs,
    )
    reports = [
        outcome if isinstance(outcome, FunctionReport) else _stopped(task, pair.source, pair.target, outcome)
        for task, pair, outcome in zip(tasks, pairs, outcomes, strict=True)
    ]
    if again:
        reports = [_replayed(task, report, options) for task, report in zip(tasks, reports, strict=True)]
    reports = advised(tasks, [pair.source for pair in pairs], reports, progress, jobs)
    return tuple(_placed(report, pair) for report, pair in zip(reports, pairs, strict=True))


def _placed(report: FunctionReport, pair: _Pair) -> FunctionReport:
    """The report, named and numbered as in the files, and with the places of the functions."""
    return replace(report, name=pair.name, chunk=pair.chunk, locations=(pair.source.location, pair.target.location))


def _task(pair: _Pair, options: Options, cores: int) -> Task:
    return Task(
        pair.modules,
        (pair.source.name, pair.target.name),
        pair.constraints,
        options.switches,
        options.strategy,
        options.seed,
        crosscheck=os.environ.get("HECV_CROSSCHECK") == "1",
        recording=options.recording or _replays(),
        seconds=options.seconds,
        cores=cores,
        advise=options.advise,
    )


def _replays() -> bool:
    """True if each proof is replayed by the certificate checker (HECV_REPLAY=1)."""
    return os.environ.get("HECV_REPLAY") == "1"


def _jobs(options: Options) -> int:
    return options.jobs or len(os.sched_getaffinity(0))


# A worker that parses


def _may_be_apart(texts: tuple[str, str], options: Options) -> bool:
    """True if both texts seem to be one program with one function each, so that a worker can parse them.

    Then only the verdict is needed here, and no guard: parsing in a child that may crash, and again here, takes a fork
    more, and for long texts as long as reading the functions.
    """
    if options.recording or _replays():
        return False
    if any((options.split or MARKER) in text for text in texts):
        return False
    return all(text.count("func.func") == 1 and not may_not_return(text) for text in texts)


def _checked_apart(
    texts: tuple[str, str], names: tuple[str, str], options: Options, progress: Progress
) -> Report | Stopped | None:
    """The report of a worker that parses both texts itself, or how it stopped.

    None if the worker did not get to compare functions: the texts have errors or several functions, and are parsed
    here.
    """
    limits = Limits(options.seconds, options.megabytes)
    work = partial(_parse_and_decide, texts, names, options)
    name = texts[0].partition("func.func")[2].partition("@")[2].partition("(")[0]
    outcome: Report | Stopped | None = run_apart(work, limits, partial(progress, name))
    return None if isinstance(outcome, Stopped) and outcome.stage in ("start", PARSING) else outcome


def _parse_and_decide(texts: tuple[str, str], names: tuple[str, str], options: Options, stage: Stage) -> Report | None:
    """Runs in a worker: parses without the crash guard, but with its limit, and decides. None if there is an error or
    more than one pair."""
    stage(PARSING, 0)
    try:
        with bounded(max(map(len, texts))):
            modules = _prepared(parse_both(texts, names, guarded=False), options)
        pairs, warnings = _paired([modules], options)
    except InputError:
        return None
    if len(pairs) != 1:
        return None
    found = decide(_task(pairs[0], options, _jobs(options)), stage)
    return _replace(summarize(failed((), options), (_placed(found, pairs[0]),)), warnings, perf_counter())


def _advised_apart(
    report: Report, texts: tuple[str, str], names: tuple[str, str], options: Options, progress: Progress
) -> Report:
    """The report of a worker that parsed, with what would turn it as help; only for that are the texts parsed here."""
    if not any(f.ideas for f in report.functions):
        return report
    try:
        pairs, _ = _paired([_prepared(parse_both(texts, names), options)], options)
    except InputError:  # the guard may refuse what the worker could parse
        return report
    tasks = [_task(pair, options, _jobs(options)) for pair in pairs]
    found = advised(tasks, [pair.source for pair in pairs], report.functions, progress, _jobs(options))
    return replace(report, functions=tuple(found))


def meaning_of(options: Options) -> Meaning:
    """The options that determine what a verdict means, in the form that a certificate holds."""
    from hecv.kernel.certificate.file_format import Options as Meaning  # few proofs are written down

    switches = options.switches
    return Meaning(
        options.functions,
        options.assume,
        switches.index_width,
        switches.index_wraps,
        switches.may_overlap,
        switches.floats,
    )


def _replayed(task: Task, report: FunctionReport, options: Options) -> FunctionReport:
    """The report after its certificate was replayed.

    It becomes an error if the checker rejects the certificate: the proof, or what wrote it down, is wrong. If there is
    no certificate, it gets a warning.
    """
    if report.certificate is None:
        return _unreplayed(report)
    # The checker takes a tenth of a second to load.
    from hecv.replaying import Pair, Shown, checked

    limits = Limits(2 * options.seconds, options.megabytes)
    pair = Pair(task.modules, task.names, task.constraints)
    outcome = checked(pair, report.certificate, meaning_of(options), "z3", limits, options.strategy.trust)
    if isinstance(outcome, Shown):
        return report
    files = " ".join(m.file for m in task.modules)
    message = (
        f"the proof that @{report.name} of the target refines the source is refused when it is checked again: "
        f"{outcome.step}: {outcome.why}; reproduce with HECV_REPLAY=1 hecv check {files} --func {report.name}"
    )
    hint = "this is a bug of hecv: please report it with both files"
    diagnostic = Diagnostic("error", "certificate-rejected", message, None, hint)
    return FunctionReport(report.name, "error", report.seconds, runs=report.runs, diagnostics=(diagnostic,))


def _unreplayed(report: FunctionReport) -> FunctionReport:
    """The report, with a warning if its proof could not be written down."""
    if report.uncertified is None:
        return report
    message = f"the proof of @{report.name} is not checked again: {report.uncertified}"
    warning = Diagnostic("warning", "not-replayed", message)
    return replace(report, diagnostics=(*report.diagnostics, warning))


def _stopped(task: Task, source: Signature, target: Signature, outcome: Stopped) -> FunctionReport:
    """The report on a pair whose worker stopped without a verdict."""
    if outcome.reason == "exception":
        hint = "this is a bug of hecv: please report it with both files"
        message = f"hecv failed on @{source.name} while {outcome.stage}\n{outcome.text.rstrip()}"
        diagnostic = Diagnostic("error", "internal-error", message, None, hint)
        return FunctionReport(source.name, "error", outcome.seconds, runs=outcome.runs, diagnostics=(diagnostic,))
    if outcome.reason == "system-error":
        diagnostic = Diagnostic("error", outcome.reason, f"{outcome.text} while {outcome.stage}", None, SYSTEM)
        return FunctionReport(source.name, "error", outcome.seconds, diagnostics=(diagnostic,), rejected=True)
    crashed = outcome.reason == "crash"
    text = f"{outcome.text} while {outcome.stage}"
    report = FunctionReport(
        source.name,
        "unknown",
        outcome.seconds,
        runs=outcome.runs,
        stop_reason=None if crashed else outcome.reason,
        unknown=Unknown("crash" if crashed else "budget", text, target.location),
    )
    return replace(report, help=of_unknown(report, task))
