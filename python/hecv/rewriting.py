"""`hecv rewrite`: rewrite a program by a rule file, check the result against the program, and write it if it holds.

load the rules, parse the file  ->  rewrite to a fixpoint, or find the parts     (`hecv.rewrite`; errors exit 2)
                                ->  expand introduced ops to what they stand for
                                ->  check the program against that               (`hecv.check`)
                                ->  write the rewritten program if that holds
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter, process_time

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.check import Options, Progress, check_modules, failed
from hecv.claim.result import Assumption, FunctionReport, Report, RuleUse, Unknown, exit_code, summarize
from hecv.mlir.importer import ParsedModule, functions, parse
from hecv.mlir.module.source_text import write_text
from hecv.mlir.module.unchanged_functions import unchanged
from hecv.mlir.ssa import ssa_printer
from hecv.mlir.ssa.ssa_graph import Program, read
from hecv.patterns.calculus.pattern_ast import RuleFile
from hecv.rewrite.graph_partitioning import Part, partition
from hecv.rewrite.greedy_rewriting import Endless, rewrite
from hecv.rewrite.rewrite_limits import Reached, Watch

EXPANDED = "<result, expanded>"
"""The file name of the text in which introduced ops are expanded."""


class PartOp(Struct, frozen=True):
    """An op of a matched part, with its location in the user's file."""

    name: str
    location: Location | None


class Found(Struct, frozen=True):
    """A part that matches the pattern: the function that it becomes, its ops in order, its operands by name with
    their types, and the type of its value."""

    name: str
    ops: tuple[PartOp, ...]
    operands: tuple[tuple[str, str], ...]
    type: str


class RewriteReport(Struct, frozen=True):
    """The answer to one `hecv rewrite`.

    `total` is the check of the input against the result with introduced ops expanded; `uses` counts how often each rule
    was applied. `text` is the result, None if there is none; `written` is the file it was written to. `parts` are the
    parts that match `pattern`, None if no pattern was given.
    """

    rules: str
    total: Report
    uses: Mapping[str, int] = field(default_factory=dict[str, int])
    introduced: tuple[str, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    text: str | None = None
    written: str | None = None
    pattern: str | None = None
    parts: tuple[Found, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])


class Wanted(Struct, frozen=True):
    """The request: rewriting, or finding parts that match `pattern`. `most` is the greatest number of rewrites; None
    means a limit that depends on the size of the program."""

    pattern: str | None = None
    most: int | None = None


def run_rewrite(
    text: str,
    file: str,
    rules: RuleFile,
    wanted: Wanted,
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
) -> RewriteReport:
    """Rewrites `text` and checks the result; or finds the parts that match a pattern, outlines them, and checks that.

    The proof may use the rules too: those that are proved, or all of them if the options say so.
    """
    started = perf_counter()
    options = replace(options, strategy=replace(options.strategy, rules=(rules,)))
    report = RewriteReport(rules.path, failed((), options), pattern=wanted.pattern)
    try:
        program = read(text, file, _declared(rules))
        report = replace(report, texts={program.module.file: text})
        if wanted.pattern is None:
            report, targets = _rewritten(report, program, rules, wanted.most, options)
        else:
            report, targets = _partitioned(report, program, rules, wanted.pattern, options)
        for target in targets:
            source = parse(text, file)  # a check edits it
            total = _checked(source, target.text, options, progress, every=bool(target.trusted))
            total = _on_trust(total, target.trusted)
            report = replace(report, texts={**report.texts, EXPANDED: target.text}, total=total)
            if total.verdict != "unknown":
                break
    except InputError as problem:
        total = replace(report.total, diagnostics=problem.diagnostics)
        report = replace(report, total=total, text=None)
    return replace(report, total=replace(report.total, seconds=perf_counter() - started))


def rejected(diagnostics: Sequence[Diagnostic], rules: str, options: Options) -> RewriteReport:
    """The report on a command with invalid arguments."""
    return RewriteReport(rules, failed(diagnostics, options))


def written(report: RewriteReport, path: str, unvalidated: bool) -> RewriteReport:
    """The report after the result was written to `path`, which needs a validated result unless `unvalidated`."""
    if report.text is None or report.total.verdict == "error" or (exit_code(report.total) and not unvalidated):
        return report
    try:
        write_text(path, report.text)
    except InputError as problem:
        total = replace(report.total, verdict="error", diagnostics=(*report.total.diagnostics, *problem.diagnostics))
        return replace(report, total=total)
    return replace(report, written=path)


def _declared(rules: RuleFile) -> frozenset[str]:
    """The ops that the rule file declares and that have no effects."""
    return frozenset(d.name for d in rules.operators.values() if d.place is not None and not d.effects)


# Rewriting


class _Target(Struct, frozen=True):
    """A text to check, and the rules trusted for it because they replace different things by one op."""

    text: str
    trusted: Mapping[str, int] = field(default_factory=dict[str, int])


def _rewritten(
    report: RewriteReport, program: Program, rules: RuleFile, most: int | None, options: Options
) -> tuple[RewriteReport, tuple[_Target, ...]]:
    """The result, and the texts to check; each further one only if the one before is undecided."""
    outcome = rewrite(program, rules, most, _watch(options))
    report = replace(report, uses=outcome.uses, notes=outcome.notes)
    if outcome.endless is not None:
        return replace(report, total=_endless(outcome.endless, report.total, program, options)), ()
    names = dict.fromkeys(program.op(n).name for n in sorted(program.meanings) if n not in program.dead)
    final = ssa_printer.text(program)
    report = replace(report, text=final, introduced=tuple(names))
    shared = _Target(ssa_printer.text(program, program.meanings))
    if not options.strategy.trust or not outcome.spellings:
        return report, (shared,)
    return report, (shared, _Target(ssa_printer.text(program, program.meanings | program.replaced), outcome.spellings))


def _watch(options: Options) -> Watch:
    return Watch(process_time() + options.seconds, options.megabytes)


def _endless(endless: Endless, total: Report, program: Program, options: Options) -> Report:
    """The verdict on rewriting that does not terminate."""
    names = ", ".join(f"'{name}'" for name in endless.rules)
    rewrites = "1 rewrite" if endless.rewrites == 1 else f"{endless.rewrites:,} rewrites"
    last = f", the last of {names}" if names else ""
    if endless.limit is not None:
        text = f"rewriting was stopped by the {_in_words(endless.limit)} after {rewrites}{last}"
    elif endless.again:
        does = "applies to its own result" if len(endless.rules) == 1 else "apply to each other's results"
        text = f"rewriting was stopped after {rewrites}: {names} {does} without end"
    else:
        text = f"rewriting was stopped after {rewrites}{last}: there are more (--most-rewrites)"
    return _stopped(text, endless.limit, total, program, options)


def _in_words(limit: Reached) -> str:
    return limit.replace("-", " ")


def _stopped(text: str, limit: Reached | None, total: Report, program: Program, options: Options) -> Report:
    unknown = Unknown("budget", text, None)
    name = next((s.name for s in functions(program.module)), "module")
    helps = {
        "time-limit": f"`--time-limit {4 * options.seconds:g}` gives it four times as long",
        "memory-limit": f"`--memory-limit {2 * options.megabytes}` gives it twice as much",
    }
    helped = (helps[limit],) if limit is not None else ()
    stopped = FunctionReport(name, "unknown", stop_reason=limit or "budget", unknown=unknown, help=helped)
    return summarize(total, (stopped,))


def _partitioned(
    report: RewriteReport, program: Program, rules: RuleFile, pattern: str, options: Options
) -> tuple[RewriteReport, tuple[_Target, ...]]:
    found = partition(program, rules, pattern, _watch(options))
    report = replace(report, notes=found.notes)
    if found.limit is not None:
        text = f"the search for '{pattern}' was stopped by the {_in_words(found.limit)}"
        return replace(report, total=_stopped(text, found.limit, report.total, program, options)), ()
    named = [*zip(found.parts, _names(program, pattern, len(found.parts)), strict=True)]
    shown = tuple(_found(program, part, name) for part, name in named)
    final = ssa_printer.outlined(program, [ssa_printer.Outline(name, p.meaning, p.operands) for p, name in named])
    return replace(report, parts=shown, text=final), (_Target(final),)


def _names(program: Program, pattern: str, count: int) -> list[str]:
    """New symbols, numbered from 0."""
    number, found = 0, list[str]()
    while len(found) < count:
        name = f"{pattern.replace('-', '_')}_{number}"
        number += 1
        if name not in program.given:
            found.append(name)
    return found


def _found(program: Program, part: Part, name: str) -> Found:
    ops = [program.op(n) for n in part.meaning.ops]
    operands = tuple((program.shown(v), program.value(v).type.text) for v in part.operands)
    kind = program.value(part.meaning.root).type.text
    return Found(name, tuple(PartOp(op.name, op.location) for op in ops), operands, kind)


# Validation


def _on_trust(total: Report, trusted: Mapping[str, int]) -> Report:
    """The report; if it holds, it names the rules that replace different things by one op."""
    if not trusted or total.verdict not in ("equivalent", "refines"):
        return total
    uses = tuple(RuleUse(name, "dynamic", count, "trusted") for name, count in trusted.items())
    texts = [f"the rule '{name}' holds: nothing is known of it" for name in trusted]
    assumptions = tuple(Assumption("rule-trusted", text, "--trust") for text in texts)
    functions = tuple(
        replace(f, evidence="trusted", rules=(*f.rules, *uses), assumptions=(*f.assumptions, *assumptions))
        for f in total.functions
    )
    return replace(total, functions=functions)


def _checked(source: ParsedModule, target: str, options: Options, progress: Progress, every: bool) -> Report:
    """The check of the input against the result, without unchanged functions unless `every` one is wanted.

    A function with an introduced op may have changed even if its expanded text has not.
    """
    arguments = {f.name: f.argument_names for f in functions(source)}
    result = replace(parse(target, EXPANDED), arguments=arguments)
    same = frozenset[str]() if every else unchanged(source, result)
    return check_modules((source, result), options, progress, same)
