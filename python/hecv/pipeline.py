"""`hecv opt`: run a pass pipeline pass by pass, check each pass against its own input, name the first refuted pass.

parse the file  ->  find where each pass runs  ->  run the passes          (in a child process; errors exit 2)
                ->  check every step against its own input                 (`hecv.check`)
                ->  the worst verdict counts; the first refuted pass is guilty
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.base.system_errors import HELP as SYSTEM
from hecv.check import Options, check_chunks, check_modules, failed
from hecv.check import Progress as CheckProgress
from hecv.claim.assumptions import SWITCH as ASSUME
from hecv.claim.result import WORST_FIRST, FunctionReport, Report, Unknown, summarize, titled
from hecv.mlir.importer import ParsedModule, Signature, functions, parse
from hecv.mlir.llvm.llvm_functions import MENTIONED
from hecv.mlir.module.nested_modules import programs, public_names, qualified
from hecv.mlir.module.source_text import unwritable, write_text
from hecv.mlir.module.split_input import MARKER, split_input
from hecv.mlir.module.unchanged_functions import is_same, unchanged
from hecv.mlir.passes.pass_pipeline import SWITCH, Pass
from hecv.mlir.passes.pass_runner import CRASH, Ran, Runner, resolve
from hecv.process.worker_pool import Limits, Stage, Stopped, run_apart
from hecv.verdict.advice import STEPWISE

_Chunk = TypeVar("_Chunk")

Progress = Callable[[str, str, str, float], None]
"""Called with the step, a function's name, the stage that it is in, and the seconds so far."""


class Step(Struct, frozen=True):
    """One pass of the pipeline and the verdict on it.

    `unchanged` are the titles of the public functions that the pass left as they were; they are not in `report`.
    `changed` is true if the pass changed anything in the module, `ran` if it ran to its end. `files` name the texts
    before and after the pass. A step is not `checked` if its input is in a dialect that is not read, as after a
    lowering to `llvm`.
    """

    executed: Pass
    report: Report
    unchanged: tuple[str, ...] = ()
    changed: bool = True
    ran: bool = True
    files: tuple[str, str | None] = ("", None)
    checked: bool = True


class PipelineReport(Struct, frozen=True):
    """The answer to one `hecv opt`.

    `total` holds the worst verdict, and the diagnostics that belong to no step. `passes` are all passes of the
    pipeline, including those that did not run. `final` is the text after the last pass, None if not all passes ran.
    `texts` has the text of each file that a location may name; `saved` is true if the texts between passes were written
    to files. `places` are those of the functions of the file, by their titles.
    """

    pipeline: str
    total: Report
    passes: tuple[Pass, ...] = ()
    steps: tuple[Step, ...] = ()
    final: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    saved: bool = False
    places: Mapping[str, Location] = field(default_factory=dict[str, Location])

    @property
    def guilty(self) -> int | None:
        """The number of the first refuted step, None if there is none."""
        return next((k for k, s in enumerate(self.steps) if s.report.verdict == "not-equivalent"), None)


def run_pipeline(
    text: str,
    file: str,
    pipeline: str,
    runner: Runner,
    options: Options,
    folder: str | None = None,
    progress: Progress = lambda step, name, stage, seconds: None,
) -> PipelineReport:
    """Runs the pipeline on `text` and checks every step; `folder`, if given, gets the text after each pass.

    Ensures: `final` is the text after the last pass, whatever the verdicts are; None if a pass failed.
    """
    started = perf_counter()
    report = PipelineReport(pipeline, failed((), options), texts={SWITCH: pipeline, ASSUME: "\n".join(options.assume)})
    try:
        sources = _parsed_chunks(text, file, options.split)
        report = replace(report, texts={**report.texts, sources[0].file: text}, places=_places(sources))
        _require_checkable(sources, options)
        report = replace(report, passes=_passes(pipeline, runner, options, progress))
        ran = [_ran(source.text, file, report.passes, runner, options, progress) for source in sources]
        texts = [_joined(after) for after in zip(*(r.texts for r in ran), strict=False)]
        names = _names(report.passes, folder)
        _save(folder, [text, *texts], names)
    except InputError as problem:
        total = replace(report.total, diagnostics=problem.diagnostics, seconds=perf_counter() - started)
        return replace(report, total=total)
    except _Broken as problem:
        total = replace(report.total, diagnostics=(problem.diagnostic,), internal=True)
        return replace(report, total=replace(total, seconds=perf_counter() - started))
    problems = tuple(d for r in ran for d in r.problems if len(r.texts) == len(texts))
    steps = tuple(_steps(sources, report.passes, texts, problems, names, options, progress))
    final = ([text, *texts])[-1] if not problems else None
    total = replace(_total(report.total, steps), seconds=perf_counter() - started)
    shown = {**report.texts, **dict(zip(names[1:], texts, strict=False))}
    return replace(report, total=total, steps=steps, final=final, texts=shown, saved=folder is not None)


def _parsed_chunks(text: str, file: str, marker: str | None) -> list[ParsedModule]:
    """The programs of a text. Without a marker given, the usual one is a comment if a chunk is no program, but the
    whole is.

    Raises: InputError.
    """
    chunks = split_input(text, marker or MARKER)
    try:
        return [parse(chunk, file) for chunk in chunks]
    except InputError as problem:
        found = problem
    if marker is None and len(chunks) > 1:
        with suppress(InputError):
            return [parse(text, file)]
    raise found


def _places(sources: Sequence[ParsedModule]) -> dict[str, Location]:
    """Where the functions of the file stand, by their titles."""
    found = (
        (titled(name, chunk), f.location) for chunk, source in _numbered(sources) for name, f in _functions(source)
    )
    return {title: place for title, place in found if place is not None}


def _joined(chunks: Sequence[str]) -> str:
    """The text of several programs as mlir-opt prints it."""
    return f"\n{MARKER}\n".join(chunks)


def rejected(diagnostics: Sequence[Diagnostic], pipeline: str, options: Options) -> PipelineReport:
    """The report on a command with invalid arguments."""
    return PipelineReport(pipeline, failed(diagnostics, options))


def written(report: PipelineReport, path: str) -> PipelineReport:
    """The report after the final text was written to `path`. If not all passes ran, nothing is written."""
    if report.final is None:
        return report
    try:
        write_text(path, report.final)
    except InputError as problem:
        total = replace(report.total, verdict="error", diagnostics=(*report.total.diagnostics, *problem.diagnostics))
        return replace(report, total=total)
    return report


def _require_checkable(sources: Sequence[ParsedModule], options: Options) -> None:
    """Rejects a file that cannot be checked even against itself, so that the error is reported once, not for each pass.

    Raises: InputError.
    """
    report = check_chunks([(s, s) for s in sources], options, unchanged=[public_names(s) for s in sources])
    if report.verdict == "error":
        raise InputError(*report.diagnostics)


def _total(report: Report, steps: Sequence[Step]) -> Report:
    """`report` with the worst verdict of the steps; `equivalent` if there are none."""
    verdicts = {s.report.verdict for s in steps}
    worst = next((v for v in WORST_FIRST if v in verdicts), "equivalent")
    return replace(report, verdict=worst, internal=any(s.report.internal for s in steps))


# Running passes, apart: they may crash and hang.


class _Broken(Exception):
    """An internal failure of hecv while it ran passes."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def _passes(pipeline: str, runner: Runner, options: Options, progress: Progress) -> tuple[Pass, ...]:
    def work(stage: Stage) -> tuple[Pass, ...] | InputError:
        return _caught(lambda: resolve(pipeline, runner, stage))

    outcome = _apart(work, options, progress)
    if isinstance(outcome, Stopped):
        hint = "one of the passes fails even on an empty module"
        raise InputError(Diagnostic("error", "pass-crashed", f"{outcome.text} while {outcome.stage}", help=hint))
    return outcome


def _ran(text: str, file: str, passes: Sequence[Pass], runner: Runner, options: Options, progress: Progress) -> Ran:
    """The texts after the passes. If a pass crashes or hangs, the passes before it are run once more, without it."""

    def work(stage: Stage) -> Ran | InputError:
        return _caught(lambda: runner.run(text, file, passes, stage))

    outcome = _apart(work, options, progress) if passes else Ran(())
    if not isinstance(outcome, Stopped):
        return outcome
    before = _ran(text, file, passes[: outcome.runs], runner, options, progress)
    return before if before.problems else replace(before, problems=(_accident(passes[outcome.runs], outcome),))


def _accident(one: Pass, outcome: Stopped) -> Diagnostic:
    if outcome.reason == "crash":
        text = outcome.text.replace("the worker crashed", f"{one} crashed").replace("the worker ended", f"{one} ended")
        return Diagnostic("error", "pass-crashed", text, help=CRASH)
    hint = "raise --time-limit or --memory-limit; --save-steps writes the text that the pass was given"
    return Diagnostic("error", "pass-stopped", f"{one}: {outcome.text}", help=hint)


def _caught(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except InputError as problem:
        return problem.diagnostics


def _apart(work: Callable[[Stage], Any], options: Options, progress: Progress) -> Any:
    """What `work` returns in a child process.

    Raises: InputError, where `work` raised it; _Broken where `work` failed otherwise.
    """
    limits = Limits(options.seconds, options.megabytes)
    outcome = run_apart(work, limits, lambda stage, seconds: progress("running the passes", "", stage, seconds))
    match outcome:
        case Stopped(reason="exception"):
            hint = "this is a bug of hecv: please report it with the file and the pipeline"
            message = f"hecv failed while {outcome.stage}\n{outcome.text.rstrip()}"
            raise _Broken(Diagnostic("error", "internal-error", message, None, hint))
        case Stopped(reason="system-error"):
            message = f"{outcome.text} while {outcome.stage}"
            raise InputError(Diagnostic("error", outcome.reason, message, help=SYSTEM))
        case (Diagnostic(), *_):
            raise InputError(*outcome)
        case _:
            return outcome


# Steps


def _names(passes: Sequence[Pass], folder: str | None) -> list[str]:
    """The names of the input and of the text after each pass: paths in `folder`, or `<01-canonicalize>` if nothing is
    saved."""
    stems = [f"{k:02}-{_NOT_IN_NAMES.sub('_', one.name)}" for k, one in enumerate(passes, 1)]
    stems.insert(0, "00-input")
    return [f"<{stem}>" for stem in stems] if folder is None else [str(Path(folder, f"{s}.mlir")) for s in stems]


_NOT_IN_NAMES: Final = re.compile(r"[^\w.-]")


def _save(folder: str | None, texts: Iterable[str], names: Iterable[str]) -> None:
    """Writes the texts to their files.

    Raises: InputError where a text cannot be written.
    """
    if folder is None:
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise unwritable(folder, problem) from None
    for name, text in zip(names, texts, strict=False):
        write_text(name, text)


def _steps(
    sources: Sequence[ParsedModule],
    passes: Sequence[Pass],
    texts: Sequence[str],
    problems: Sequence[Diagnostic],
    names: Sequence[str],
    options: Options,
    progress: Progress,
) -> Iterator[Step]:
    """Checks each step against its own input. Arguments keep the names that they have in the user's file."""
    before: Sequence[ParsedModule] | None = sources
    files = [sources[0].file, *names[1:]]
    left = False
    for number, text in enumerate(texts):
        one = passes[number]
        if left:
            report = replace(failed((), options), verdict="unknown")
            yield Step(one, report, files=(files[number], files[number + 1]), checked=False)
            continue
        report, after = failed((), options), None
        try:
            after = _after(text, files[number + 1], sources)
        except InputError as problem:
            report = failed(problem.diagnostics, options)
        step = Step(one, report, files=(files[number], files[number + 1]))
        if before is not None and after is not None:
            label = f"pass {number + 1} of {len(passes)}, {one.name}"
            pairs = list(zip(before, after, strict=True))
            others = [_left(chunk, modules, options) for chunk, modules in _numbered(pairs)]
            left = any(others)
            if left:
                step = replace(step, report=_with_others(step.report, others, pairs, options))
            else:
                step = _checked(step, pairs, options, lambda *now, label=label: progress(label, *now))
        elif after is not None:
            step = replace(step, report=failed((_unreadable(one),), options))
        yield step
        before = after
    if problems:
        number = len(texts)
        report = failed(problems, options)
        yield Step(passes[number], report, changed=False, ran=False, files=(files[number], None))


def _after(text: str, file: str, sources: Sequence[ParsedModule]) -> list[ParsedModule]:
    """The programs after a pass.

    Raises: InputError.
    """
    chunks = split_input(text) if len(sources) > 1 else (text,)
    if len(chunks) != len(sources):
        raise InputError(
            Diagnostic("error", "chunks-differ", f"{file} has {len(chunks)} chunks: a string has {MARKER}")
        )
    arguments = ({f.name: f.argument_names for f in functions(source)} for source in sources)
    return [replace(parse(chunk, file), arguments=given) for chunk, given in zip(chunks, arguments, strict=True)]


def _left(
    chunk: int | None, modules: tuple[ParsedModule, ParsedModule], options: Options
) -> tuple[FunctionReport, ...]:
    """The functions of which a pass made functions of another dialect, which are not read: `unknown`."""
    before, after = (dict(_functions(module)) for module in modules)
    found: list[FunctionReport] = []
    for name, source in before.items():
        target = after.get(name)
        wanted = name in (options.functions or before)
        if wanted and source.op == "func.func" and target is not None and target.op != "func.func":
            text = f"the {target.op.partition('.')[0]} dialect is not read"
            unknown = Unknown("unsupported-op", text, target.location)
            places = source.location, target.location
            found.append(FunctionReport(name, "unknown", unknown=unknown, locations=places, chunk=chunk))
    return tuple(found)


def _functions(module: ParsedModule) -> Iterator[tuple[str, Signature]]:
    """The public functions by their names in reports, those of nested modules included."""
    for path, program in programs(module):
        yield from ((qualified(path, f.name), f) for f in functions(program))


def _numbered(chunks: Sequence[_Chunk]) -> Iterator[tuple[int | None, _Chunk]]:
    """The chunks with their numbers; there is none if the file has one program."""
    return ((number if len(chunks) > 1 else None, chunk) for number, chunk in enumerate(chunks, 1))


def _with_others(
    report: Report,
    others: Sequence[tuple[FunctionReport, ...]],
    pairs: Sequence[tuple[ParsedModule, ParsedModule]],
    options: Options,
) -> Report:
    """The report on functions of another dialect, by chunk, and on the rest, which are checked."""
    decided: list[FunctionReport] = []
    for (chunk, modules), unread in zip(_numbered(pairs), others, strict=True):
        names = {f.name for f in unread}
        rest = [name for name in public_names(modules[0]) if name not in names]
        rest = [name for name in rest if name in options.functions or not options.functions]
        decided += unread
        if rest:
            chosen = replace(options, functions=tuple(rest))
            found = check_modules(modules, chosen, unchanged=unchanged(*modules))
            if found.verdict == "error":
                return found
            decided += (replace(f, chunk=chunk) for f in found.functions)
            report = replace(report, diagnostics=(*report.diagnostics, *found.diagnostics))
    return summarize(report, tuple(decided))


def _unreadable(one: Pass) -> Diagnostic:
    message = f"{one}: its input could not be read, so there is nothing to check it against"
    return Diagnostic("error", "unreadable-step", message, help="see the error of the pass before it")


def _checked(
    step: Step, pairs: Sequence[tuple[ParsedModule, ParsedModule]], options: Options, progress: CheckProgress
) -> Step:
    """The step with the verdict on the functions that the pass changed."""
    names = [public_names(source) for source, _ in pairs]
    same = [n if is_same(*modules) else unchanged(*modules) for n, modules in zip(names, pairs, strict=True)]
    report = check_chunks(pairs, options, progress, same)
    # A pass is a single step already.
    found = tuple(replace(f, help=tuple(h for h in f.help if h != STEPWISE)) for f in report.functions)
    report = replace(report, functions=found)
    wanted = [
        titled(name, chunk)
        for (chunk, known), left in zip(_numbered(names), same, strict=True)
        for name in known
        if name in left and (name in options.functions or not options.functions)
    ]
    # Functions may be the same only once those of llvm are raised: then the pass has changed them.
    lowered = any(len({bool(MENTIONED.search(m.text)) for m in modules}) > 1 for modules in pairs)
    changed = lowered or any(left is not known for known, left in zip(names, same, strict=True))
    return replace(step, report=report, unchanged=tuple(wanted), changed=changed)
