"""Report of `hecv rules` as text: laws, rules and audits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from hecv.base.diagnostics import counted
from hecv.book import Entry
from hecv.laws.audit.law_audit import RuleAudit, Status, TypeAudit
from hecv.report.formats import Rules
from hecv.report.text_lines import Painter, diagnostics_text, remark

COLORS: Final[dict[Status, str]] = {
    "proved": "green",
    "refines": "green",
    "tested": "yellow",
    "trusted": "yellow",
    "unknown": "yellow",
    "inapplicable": "yellow",
    "failed": "red",
}

WIDEST: Final = 70


def answer(given: Rules, out: Painter, err: Painter, verbose: bool) -> tuple[str, str]:
    """The list, whole entries, or the counts of audits, which are printed one by one as they are known."""
    entries = [e for e in given.entries if isinstance(e, Entry)]
    audits = [e for e in given.entries if isinstance(e, RuleAudit)]
    told = diagnostics_text(given.problems, given.texts, err)
    if given.shown == "audits":
        return _summary(audits), told
    if given.shown == "all":
        return "\n".join(_entry(entry, out) for entry in entries), told
    return _list(entries, out), told


def _list(entries: Sequence[Entry], paint: Painter) -> str:
    """One line a rule: name, statement, source location."""
    names = max((len(e.name) for e in entries), default=0)
    lines = [_cut(e.lines[0]) for e in entries]
    widest = max(map(len, lines), default=0)
    rows = zip(entries, lines, strict=True)
    return "".join(f"{paint('bold', e.name.ljust(names))}  {line:{widest}}  {e.place}\n" for e, line in rows)


def _cut(line: str) -> str:
    return line if len(line) <= WIDEST else line[: WIDEST - 3] + "..."


def _entry(entry: Entry, paint: Painter) -> str:
    """A rule with its conditions and where it is proved."""
    proved = [] if entry.proved is None else [entry.proved]
    why = [entry.why] if entry.why else []
    lines = [f"  {line}" for line in (*entry.lines, *why, *proved)]
    return "\n".join([paint("bold", entry.name), *lines, f"  {paint('blue', '-->')} {entry.place}"]) + "\n"


def render_audit(found: RuleAudit, paint: Painter) -> str:
    """One line a rule, followed by what failed or stayed open."""
    return "".join(f"{line}\n" for line in _audit(found, paint))


def _audit(found: RuleAudit, paint: Painter) -> Iterator[str]:
    where = _places(found)
    types = f" ({where})" if where else ""
    yield f"{paint(COLORS[found.audit], f'{found.audit:12}')}  {paint('bold', found.name)}{types}"
    if found.audit in ("proved", "refines"):
        premised = next((t.audit.reason for t in found.types if t.audit.result == found.audit and t.audit.reason), None)
        if premised is not None:
            yield from remark("note", premised, paint)
        return
    if not found.types:
        yield from remark("note", "it says nothing at these types", paint)
    shown = next((t for t in found.types if t.audit.result == found.audit), None)
    if shown is not None:
        yield from _details(shown, paint)
    yield f"  {paint('blue', '-->')} {found.place}"


def _places(found: RuleAudit) -> str:
    """The types at which a rule has this audit result."""
    types = [", ".join(t.types) for t in found.types if t.audit.result == found.audit and t.types]
    if len(types) > 12:
        return f"{len(types)} choices of types"
    return "; ".join(types)


def _details(found: TypeAudit, paint: Painter) -> Iterator[str]:
    if found.audit.model:
        values = ", ".join(f"{name} = {value}" for name, value in found.audit.model.items())
        yield f"  at {', '.join(found.types)}: {values}" if found.types else f"  for {values}"
    if found.audit.reason:
        yield from remark("note", found.audit.reason, paint)


def _summary(found: Sequence[RuleAudit]) -> str:
    """Counts of the rules by audit result."""
    counts = Counter(f.audit for f in found)
    parts = [f"{counts[status]} {status}" for status in COLORS if counts[status]]
    seconds = sum(f.seconds for f in found)
    return f"{counted(len(found), 'rule')}: {', '.join(parts) or 'none'}; {seconds:.1f} s\n"
