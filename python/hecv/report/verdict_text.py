"""Report of `hecv check` as text: one verdict line a function; where needed its counterexample, place, notes and help;
the assumptions once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Final

from hecv.base.diagnostics import counted
from hecv.base.types import MemRefType, Type
from hecv.base.value import Buffer, Value
from hecv.claim.result import (
    Assumption,
    Binding,
    Counterexample,
    Divergence,
    FunctionReport,
    Localization,
    Report,
    Saturation,
    Trap,
    Verdict,
)
from hecv.report.text_lines import Painter, Texts, diagnostics_text, excerpt, remark, visible, wrapped
from hecv.verdict.counterexample import scalar

if TYPE_CHECKING:
    from hecv.report.formats import Checked

MOST_ELEMENTS: Final = 24
MOST_NAMED: Final = 6
INDENT: Final = " " * len("   = assumes: ")

_VERDICT_COLORS: Final = {
    "equivalent": "green",
    "refines": "green",
    "not-equivalent": "red",
    "unknown": "yellow",
    "error": "red",
}
_ENGINES: Final = {
    "dataflow": "array dataflow",
    "theorems": "loop theorems",
    "sweep": "sweeping",
    "identity": "identity",
    "form": "one normal form",
    "inputs": "runs on all inputs",
    "invariant": "an invariant of a while",
    "simulation": "a simulation between loop headers",
    "relation": "relations between values",
}
_ENGINE_NAMES: Final = {
    "interpreter": "the interpreter",
    "slice": "the interpreter (what computes this element alone)",
    "jit": "MLIR's JIT",
    "torch": "torch in f64",
}


def verdict_color(verdict: Verdict) -> str:
    """The colour of a verdict."""
    return _VERDICT_COLORS[verdict]


def answer(given: Checked, out: Painter, err: Painter, verbose: bool) -> tuple[str, str]:
    """What goes to stdout, and the diagnostics."""
    shown = render(given.report, given.texts, out, verbose)
    return shown, diagnostics_text(given.report.diagnostics, given.texts, err)


def render(report: Report, texts: Texts, paint: Painter, verbose: bool) -> str:
    """Each function with its verdict, then what all of them assume. Diagnostics are separate."""
    lines = [*functions(report.functions, texts, paint, verbose)]
    said = [*assumptions(report.functions, paint)]
    if said and len(report.functions) > 1:
        lines.append("")
    return "".join(f"{visible(line)}\n" for line in (*lines, *said))


def functions(reports: Iterable[FunctionReport], texts: Texts, paint: Painter, verbose: bool) -> Iterator[str]:
    """The lines of each function, without what it assumes."""
    for report in reports:
        yield from _function(report, texts, paint, verbose)


# What verdicts assume


def assumptions(reports: Iterable[FunctionReport], paint: Painter) -> Iterator[str]:
    """A line an assumption, a list for those of one kind. What some functions do not assume names those that do."""
    made: dict[Assumption, dict[str, None]] = {}
    for report in reports:
        for assumption in report.assumptions:
            made.setdefault(assumption, {})[report.title] = None
    everyone = dict.fromkeys(name for names in made.values() for name in names)
    for (_, switch, head, whose), group in groupby(made.items(), lambda one: _kind(one[0], _of(one[1], everyone))):
        alike = [assumption for assumption, _ in group]
        if len(alike) == 1:
            yield from remark("assumes", f"{assumption_text(alike[0])}{whose}", paint)
            continue
        yield from remark("assumes", f"{head}{'' if switch is None else f' ({switch})'}{whose}:", paint)
        yield from (f"{INDENT}{one.text.removeprefix(f'{head}: ')}" for one in alike)


def _kind(assumption: Assumption, whose: str) -> tuple[str, str | None, str, str]:
    """What assumptions have in common that are told as a list: all but what stands after the colon."""
    head, colon, _ = assumption.text.partition(": ")
    return assumption.id, assumption.switch, head if colon else assumption.text, whose


def _of(names: Collection[str], everyone: Collection[str]) -> str:
    """Which functions make an assumption, empty if all that make any do."""
    left = [name for name in everyone if name not in names]
    if not left:
        return ""
    if len(names) <= MOST_NAMED:
        return f" [{', '.join(names)}]"
    if len(left) <= MOST_NAMED:
        return f" [all but {', '.join(left)}]"
    return f" [{', '.join([*names][:MOST_NAMED])} and {len(names) - MOST_NAMED} more]"


def assumption_text(assumption: Assumption) -> str:
    """An assumption, with the option that changes it."""
    return assumption.text if assumption.switch is None else f"{assumption.text} ({assumption.switch})"


# One function


def _function(report: FunctionReport, texts: Texts, paint: Painter, verbose: bool) -> Iterator[str]:
    verdict = report.verdict.replace("-", " ")
    by = "" if report.engine is None else f" by {_ENGINES.get(report.engine, report.engine)}"
    found = paint(verdict_color(report.verdict), verdict)
    yield f"{found}: {paint('bold', report.title)} ({_summary(report)}){by}"
    if report.counterexample is not None:
        yield from _counterexample(report.counterexample)
    if report.unknown is not None:
        yield from wrapped(f"  {report.unknown.reason}: ", report.unknown.text, 4)
    yield from _places(report, texts, paint)
    for note in _notes(report, verbose):
        yield from remark("note", note, paint)
    for hint in report.help:
        yield from remark("help", hint, paint)


def _summary(report: FunctionReport) -> str:
    parts = [report.evidence, counted(report.runs, "run"), f"{report.seconds:.2f} s"]
    return "; ".join(p for p in parts if p)


def _notes(report: FunctionReport, verbose: bool) -> Iterator[str]:
    found = report.counterexample
    if found is not None:
        shown = report.localization is not None and report.localization.because.endswith(found.difference)
        if not shown and not isinstance(found.target, Trap | Divergence):
            yield found.difference
        yield f"both were run on this input by {' and by '.join(_ENGINE_NAMES[e] for e in found.engines)}"
    yield from report.notes
    if report.runs_skipped is not None:
        yield f"runs: {report.runs_skipped}"
    if not verbose:
        return
    if report.prover is not None:
        from hecv.prove.portfolio import TEXTS  # what replays certificates may not load it

        yield f"prover: {report.prover}: {TEXTS[report.prover]}"
    if report.passes:
        yield f"passes: {', '.join(report.passes)}"
    for rule in report.rules:
        yield f"rule '{rule.name}' ({rule.kind}, {rule.evidence}): {counted(rule.uses, 'use')}"
    if report.proof is not None:
        source, target = report.proof.statements
        yield (
            f"proof: {counted(report.proof.visits, 'visit')}, {counted(report.proof.widenings, 'widening')}, "
            f"{source} and {counted(target, 'statement')}, {report.proof.seconds:.2f} s"
        )
    if report.saturation is not None:
        yield _saturation(report.saturation)
    if report.models is not None:
        yield from (f"parameter {name} = {text}" for name, text in report.models.parameters if name != text)
        for rule in report.models.rules:
            fired = sum(count for _, count in rule.fired)
            yield f"rule {rule.name}: {rule.kind}, {rule.evidence}, {fired} time{'' if fired == 1 else 's'}"


def _saturation(taken: Saturation) -> str:
    phases = ", ".join(f"{phase} {seconds:.2f} s" for phase, seconds in taken.phases)
    return (
        f"e-graph: {counted(taken.rounds, 'round')}, {counted(taken.classes, 'e-class', 'e-classes')}, "
        f"{counted(taken.nodes, 'e-node')}, {counted(taken.dynamic, 'dynamic rule')}; {phases}"
    )


def _places(report: FunctionReport, texts: Texts, paint: Painter) -> Iterator[str]:
    where = report.localization
    if where is None:
        if report.unknown is not None and report.unknown.location is not None:
            yield from excerpt(report.unknown.location, "", texts, paint)
        return
    trapped = report.counterexample is not None and isinstance(report.counterexample.target, Trap | Divergence)
    because = where.because if report.unknown is None and not trapped else ""
    yield from _localization(where, because, texts, paint)


def _localization(where: Localization, because: str, texts: Texts, paint: Painter) -> Iterator[str]:
    if where.source is not None:
        yield from excerpt(where.source.location, "" if where.target else because, texts, paint)
    if where.target is not None:
        yield from excerpt(where.target.location, because, texts, paint)


# Values


def _counterexample(found: Counterexample) -> Iterator[str]:
    if found.inputs:
        yield f"  input    {', '.join(map(_input, found.inputs))}"
    target = found.target
    yield from (f"  call     {call}" for call in found.calls)
    if isinstance(target, Trap | Divergence):
        yield f"  source   {', '.join(_outcome(b, b) for b in found.source) or 'returns'}"
        yield f"  target   {'undefined: ' if isinstance(target, Trap) else ''}{target.text}"
        return
    if found.returned is not None:
        yield from (f"  {side}   {text}" for side, text in zip(("source", "target"), found.returned, strict=True))
        return
    pairs = [(a, b) for a, b in zip(found.source, target, strict=True) if repr(a.value) != repr(b.value)]
    yield f"  source   {', '.join(_outcome(a, b) for a, b in pairs)}"
    yield f"  target   {', '.join(_outcome(b, a) for a, b in pairs)}"


def _input(binding: Binding) -> str:
    kind = f"{binding.text} " if isinstance(binding.value, Buffer) else ""
    return f"{_name(binding)} = {kind}{show(binding.value, binding.type)}"


def _name(binding: Binding) -> str:
    return f"%{binding.name}" if binding.key.startswith("arg") else binding.name


def _outcome(binding: Binding, other: Binding) -> str:
    """The outcome of one side; for a long buffer the elements that differ from the other side."""
    value, theirs = binding.value, other.value
    if not isinstance(value, Buffer) or len(value.data) <= MOST_ELEMENTS or binding is other:
        return f"{_name(binding)} = {show(value, binding.type)}"
    assert isinstance(theirs, Buffer)
    places = [k for k, (x, y) in enumerate(zip(value.data, theirs.data, strict=True)) if repr(x) != repr(y)]
    return _elements(binding, value, places)


def _elements(binding: Binding, value: Buffer, places: list[int]) -> str:
    """The elements at `places` by name, as many as fit."""
    assert isinstance(binding.type, MemRefType)
    element = binding.type.element
    shown = [
        f"{_name(binding)}[{', '.join(map(str, _subscripts(k, value.shape)))}] = {scalar(value.data[k], element)}"
        for k in places[:MOST_NAMED]
    ]
    more = len(places) - len(shown)
    return ", ".join([*shown, f"and {more} more elements"] if more else shown)


def _subscripts(position: int, shape: tuple[int, ...]) -> list[int]:
    """The subscripts of the element at a row-major position."""
    found: list[int] = []
    for extent in reversed(shape):
        position, rest = divmod(position, extent)
        found.append(rest)
    return found[::-1]


def show(value: Value, kind: Type) -> str:
    """A value as text; buffers as nested lists, long ones cut."""
    if not isinstance(value, Buffer):
        assert not isinstance(kind, MemRefType)
        return scalar(value, kind)
    assert isinstance(kind, MemRefType)
    texts = [scalar(x, kind.element) for x in value.data]
    return _nested(texts, value.shape) if len(texts) <= MOST_ELEMENTS else _long(texts, value.shape)


def _long(texts: list[str], shape: tuple[int, ...]) -> str:
    """A summary of many elements: their most common value and the exceptions, or the first ones."""
    extents = "x".join(map(str, shape))
    usual, count = Counter(texts).most_common(1)[0]
    others = [(k, text) for k, text in enumerate(texts) if text != usual]
    if count == len(texts):
        return f"{extents} of {usual}"
    if len(others) <= MOST_NAMED:
        named = ", ".join(f"[{', '.join(map(str, _subscripts(k, shape)))}] = {text}" for k, text in others)
        return f"{extents} of {usual} but {named}"
    return f"{extents} of [{', '.join(texts[:MOST_NAMED])}, ...]"


def _nested(texts: list[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return texts[0]
    if len(shape) == 1:
        return f"[{', '.join(texts)}]"
    size = len(texts) // shape[0] if shape[0] else 0
    rows = [_nested(texts[k * size : (k + 1) * size], shape[1:]) for k in range(shape[0])]
    return f"[{', '.join(rows)}]"
