"""Report of `hecv check` as text: one verdict line a function; where needed its counterexample, place and notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from hecv.base.diagnostics import Diagnostic, Location
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
from hecv.verdict.counterexample import scalar

MOST_ELEMENTS: Final = 24
MOST_NAMED: Final = 6
LONGEST_LINE: Final = 160

_COLORS: Final = {"bold": "1", "red": "1;31", "green": "1;32", "yellow": "1;33", "blue": "1;34", "cyan": "36"}
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
}
_UNSEEN: Final = re.compile(r"(\x1b\[(?:0|1|36|1;3[1-6])m)|[^ -~]")
"""A character that may not print; the group matches colour codes."""
_TOKEN: Final = re.compile(r'"?[\w$.%@!#]+"?|.')

Texts = Mapping[str, str]
"""The text of each file, by its name in locations."""


class Painter:
    """Colours text if enabled."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled

    def __call__(self, color: str, text: str) -> str:
        return f"\x1b[{_COLORS[color]}m{text}\x1b[0m" if self._enabled else text


def verdict_color(verdict: Verdict) -> str:
    """The colour of a verdict."""
    return _VERDICT_COLORS[verdict]


def render(report: Report, texts: Texts, paint: Painter, verbose: bool) -> str:
    """The answer: each function with its verdict. Diagnostics are separate, see `render_diagnostics`."""
    lines = (line for f in report.functions for line in _function(f, texts, paint, verbose))
    return "".join(f"{visible(line)}\n" for line in lines)


def render_diagnostics(diagnostics: tuple[Diagnostic, ...], texts: Texts, paint: Painter) -> str:
    """Each diagnostic with its location and help."""
    lines = (line for d in diagnostics for line in _diagnostic(d, texts, paint))
    return "".join(visible(f"{line}\n", "\n") for line in lines)


def visible(line: str, kept: str = "") -> str:
    """A line with text from programs, with escapes for characters that end the line, move the cursor or do not print.

    Tabs and the characters in `kept` stay.
    """
    if line.isprintable():
        return line

    def shown(found: re.Match[str]) -> str:
        character = found[0]
        if found[1] or character.isprintable() or character == "\t" or character in kept:
            return character
        return f"\\u{ord(character):04x}"

    return _UNSEEN.sub(shown, line)


def _diagnostic(diagnostic: Diagnostic, texts: Texts, paint: Painter) -> Iterator[str]:
    color = {"error": "red", "warning": "yellow", "note": "cyan"}[diagnostic.severity]
    yield f"{paint(color, f'{diagnostic.severity}[{diagnostic.name}]')}: {paint('bold', diagnostic.message)}"
    if diagnostic.location is not None:
        yield from excerpt(diagnostic.location, "", texts, paint)
    if diagnostic.help is not None:
        yield f"  {paint('cyan', '= help:')} {diagnostic.help}"


# One function


def _function(report: FunctionReport, texts: Texts, paint: Painter, verbose: bool) -> Iterator[str]:
    verdict = report.verdict.replace("-", " ")
    by = "" if report.engine is None else f" by {_ENGINES.get(report.engine, report.engine)}"
    found = paint(verdict_color(report.verdict), verdict)
    yield f"{found}: {paint('bold', report.title)} ({_summary(report)}){by}"
    if report.counterexample is not None:
        yield from _counterexample(report.counterexample)
    if report.unknown is not None:
        yield f"  {report.unknown.reason}: {report.unknown.text}"
    yield from _places(report, texts, paint)
    notes = [*_notes(report, verbose)]
    yield from (f"   {paint('cyan', '= note:')} {note}" for note in notes)
    for assumption in report.assumptions:
        yield f"   {paint('cyan', '= assumes:')} {assumption_text(assumption)}"


def _summary(report: FunctionReport) -> str:
    runs = f"{report.runs} run" if report.runs == 1 else f"{report.runs} runs"
    parts = [report.evidence, runs, f"{report.seconds:.2f} s"]
    return "; ".join(p for p in parts if p)


def assumption_text(assumption: Assumption) -> str:
    """An assumption, with the option that changes it."""
    return assumption.text if assumption.switch is None else f"{assumption.text} ({assumption.switch})"


def _notes(report: FunctionReport, verbose: bool) -> Iterator[str]:
    found = report.counterexample
    if found is not None:
        shown = report.localization is not None and report.localization.because.endswith(found.difference)
        if not shown and not isinstance(found.target, Trap | Divergence):
            yield found.difference
        engines = "the interpreter and by MLIR's JIT" if "jit" in found.engines else "the interpreter"
        yield f"both functions were run on this input by {engines}"
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
        yield f"rule '{rule.name}' ({rule.kind}, {rule.evidence}): {rule.uses} uses"
    if report.proof is not None:
        source, target = report.proof.statements
        yield (
            f"proof: {report.proof.visits} visits, {report.proof.widenings} widenings, "
            f"{source} and {target} statements, {report.proof.seconds:.2f} s"
        )
    if report.saturation is not None:
        yield _saturation(report.saturation)


def _saturation(taken: Saturation) -> str:
    phases = ", ".join(f"{phase} {seconds:.2f} s" for phase, seconds in taken.phases)
    return (
        f"e-graph: {taken.rounds} rounds, {taken.classes} e-classes, {taken.nodes} e-nodes, "
        f"{taken.dynamic} dynamic rules; {phases}"
    )


def _places(report: FunctionReport, texts: Texts, paint: Painter) -> Iterator[str]:
    where = report.localization
    if where is None:
        if report.unknown is not None and report.unknown.location is not None:
            yield from excerpt(report.unknown.location, "", texts, paint)
        return
    trapped = report.counterexample is not None and isinstance(report.counterexample.target, Trap | Divergence)
    remark = where.because if report.unknown is None and not trapped else ""
    yield from _localization(where, remark, texts, paint)


def _localization(where: Localization, because: str, texts: Texts, paint: Painter) -> Iterator[str]:
    if where.source is not None:
        yield from excerpt(where.source.location, "" if where.target else because, texts, paint)
    if where.target is not None:
        yield from excerpt(where.target.location, because, texts, paint)


def excerpt(location: Location, remark: str, texts: Texts, paint: Painter) -> Iterator[str]:
    """The arrow, the source line, and carets under the token at `location`."""
    yield f"  {paint('blue', '-->')} {location}"
    lines = texts.get(location.file, "").split("\n", location.line)
    if not (0 < location.line <= len(lines)) or not lines[location.line - 1].strip():
        if remark:
            yield f"   {paint('cyan', '= note:')} {remark}"
        return
    line = lines[location.line - 1]
    start = min(location.column - 1, len(line))
    token = _TOKEN.match(line, start)
    width = len(token[0]) if token and token[0].strip() else 1
    # Tabs keep their width, so that the carets stand under the token.
    indent = "".join(c if c == "\t" else " " * len(visible(c)) for c in line[:start])
    number = str(location.line)
    gutter = " " * (len(number) + 2)
    yield f"{gutter}{paint('blue', '|')}"
    yield f" {paint('blue', number)} {paint('blue', '|')} {_cut(line)}"
    if start < LONGEST_LINE:
        yield f"{gutter}{paint('blue', '|')} {indent}{paint('red', '^' * width)} {remark}".rstrip()


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "..."


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
