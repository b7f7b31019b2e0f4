"""`hecv rules`: list, show and audit the laws of the book and the rules of a user's file.

the book (`hecv.laws.all_laws`)  ->  each law by Z3 at every type                 (`hecv.laws.audit.law_audit`)
a rule file                      ->  its equations as laws, each proved, tested
                                     or refuted                                   (`hecv.laws.audit.equation_evidence`)
                                 ->  its other rules: their matches are judged where they are used
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.base.types import INDEX, FloatType
from hecv.egraph.saturation.rule_admission import prover
from hecv.laws.all_laws import BOOK, LAWS
from hecv.laws.audit.equation_evidence import Judge, Judgement
from hecv.laws.audit.law_audit import Audit, RuleAudit, Status, TypeAudit, audit_law, kinds_at, worst
from hecv.laws.notation.law_text import conditions_text, equation_text, premises_text, rule_text
from hecv.patterns.calculus.loop_rules import LoopRule, condition_text, side_text
from hecv.patterns.calculus.pattern_ast import RuleFile
from hecv.patterns.calculus.type_inference import FORMAT_BITS
from hecv.patterns.equations.equations import Kind, index_width
from hecv.patterns.equations.law_record import Instance, Law, integer, rule_of
from hecv.patterns.typing.typed_rules import laws_of
from hecv.theorems.user_rules.loop_rule_audit import THOROUGH, audited

INDEX_WIDTHS: Final = (64, 32)

SHOWN: Final = (
    *map(integer, (32, 8, 64, 16, 4, 2, 1)),
    Kind(INDEX, INDEX_WIDTHS[0]),
    *[Kind(FloatType(name), 0) for name in ("f32", "f64", "f16")],
)
"""Types at which a law is displayed: the first one that it applies to."""

MOST_TYPES: Final = 1_000
"""Choices of types at which a user's rule is audited, at most."""

PACKAGE: Final = str(Path(__file__).parents[1])


class Entry(Struct, frozen=True):
    """A law or rule as it is listed.

    `lines` state it with its conditions. `proved` says where it is proved, None for a user's rule, which is audited
    when it is used. `why` is its docstring. `static` rules are equations by themselves; for others a match is found
    first.
    """

    name: str
    lines: tuple[str, ...]
    place: str
    proved: str | None = None
    why: str = ""
    kind: Literal["static", "dynamic"] = "static"


@cache
def book() -> tuple[Entry, ...]:
    """The laws of hecv. Formatting all of them takes longer than loading them."""
    return tuple(map(entry_of, BOOK))


def of_file(file: RuleFile) -> tuple[Entry, ...]:
    """The rules of a user's file."""
    found: list[Entry] = []
    others = laws_of(file).others
    for rule in file.rules:
        lines = tuple(rule_text(rule, file.definitions[rule.pattern]))
        kind = "dynamic" if rule.name in others else "static"
        found.append(Entry(rule.name, lines, str(rule.place or file.path), kind=kind))
    return (*found, *map(_loop_entry, file.loops))


def _loop_entry(rule: LoopRule) -> Entry:
    lines = (f"{side_text(rule.before)} = {side_text(rule.after)}", *map(condition_text, rule.conditions))
    return Entry(rule.name, lines, rule.place, why=rule.why, kind="dynamic")


def entry_of(law: Law) -> Entry:
    """The entry of a law."""
    shown = next(law.instances(SHOWN), None)
    assert shown is not None, f"{law.name} says nothing at any type"
    lines = (equation_text(shown), *conditions_text(shown.equation))
    return Entry(law.name, lines, law.place.removeprefix(f"{PACKAGE}/"), _proved(law), law.why)


def chosen(entries: Sequence[Entry], names: Sequence[str]) -> list[Entry]:
    """The entries with these names, all if none is given.

    Raises: InputError for an unknown name.
    """
    there = {entry.name: entry for entry in entries}
    for name in names:
        if name not in there:
            raise InputError(unknown("rule", name, list(there)))
    return [there[name] for name in names] if names else list(entries)


def unknown(what: str, name: str, there: list[str]) -> Diagnostic:
    """The diagnostic for an unknown name, with a similar one as suggestion."""
    close = get_close_matches(name, there, 3, 0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else "`hecv rules` lists the laws"
    return Diagnostic("error", "unknown-name", f"there is no {what} '{name}'", help=hint)


def _proved(law: Law) -> str:
    """The types at which a law is proved, and therefore applied."""
    done = "shown to refine" if law.refines else "proved"
    widths = ", ".join(map(str, law.widths))
    places = [f"over the {law.integral} integers, for every width from 2" if law.integral else f"at widths {widths}"]
    if law.domain != "integers":
        places = [*(places if law.domain == "any" else []), f"at {', '.join(law.formats)}"]
    follows = "; follows from other laws" if law.derived else ""
    return f"{done} {' and '.join(places)}{follows}"


# Audits


def audits_of_book(names: Sequence[str], widths: Sequence[int], milliseconds: int) -> Iterator[RuleAudit]:
    """Audits these laws, all if none is named, one at a time."""
    kinds = kinds_at(widths)
    for law in BOOK:
        if not names or law.name in names:
            found = audit_law(law, kinds, milliseconds)
            yield replace(found, place=found.place.removeprefix(f"{PACKAGE}/"))


def audits_of_files(
    files: Sequence[RuleFile], names: Sequence[str], widths: Sequence[int], milliseconds: int
) -> Iterator[RuleAudit]:
    """Audits these rules one at a time, with `index` of each of `widths` bits, by default 64 and 32; proofs may use
    the book's laws."""
    index_widths = [width for width in INDEX_WIDTHS if width in widths] or INDEX_WIDTHS
    judges = {width: Judge(prover(LAWS, width), milliseconds) for width in index_widths}
    for file in files:
        yield from _audits(file, names, widths, judges)


def _audits(
    file: RuleFile, names: Sequence[str], widths: Sequence[int], judges: Mapping[int, Judge]
) -> Iterator[RuleAudit]:
    typed = [laws_of(file, width) for width in judges]
    for rule in file.rules:
        if rule.name not in names:
            continue
        place = str(rule.place or file.path)
        if rule.name in typed[0].others:
            open_ = TypeAudit((), Audit("unknown", reason=typed[0].others[rule.name]))
            yield RuleAudit(rule.name, "dynamic", "unknown", (), place, (open_,), 0.0)
        else:
            laws = [[law for law in found.laws if rule_of(law.name) == rule.name] for found in typed]
            yield _audit(rule.name, place, laws, kinds_at(widths), judges)
    for rule in file.loops:
        if rule.name in names:
            yield _loop_audit(rule)


def _loop_audit(rule: LoopRule) -> RuleAudit:
    """The audit of a loop rule, by running examples; each instance is proved where it is used."""
    started = time.monotonic()
    found = audited(rule, THOROUGH)
    audit = Audit(found.status, "random", {**found.values} if found.failure else None, found.failure or found.text)
    return RuleAudit(
        rule.name, "dynamic", audit.result, (), rule.place, (TypeAudit((), audit),), time.monotonic() - started
    )


def _audit(
    name: str, place: str, laws: Sequence[Sequence[Law]], kinds: Sequence[Kind], judges: Mapping[int, Judge]
) -> RuleAudit:
    """The audit of one rule at each type; `laws` has its laws for each width of `index`."""
    started = time.monotonic()
    instances: list[Instance] = []
    for width, at_width in zip(judges, laws, strict=True):
        made = [i for law in at_width for i in _instances(law, kinds, width)]
        instances += made if not instances else [i for i in made if index_width(i.equation) is not None]
    found = [(i, _judged(i, judges[index_width(i.equation) or next(iter(judges))])) for i in instances]
    status = worst([a.result for _, a in found])
    own = {i.kinds[0].width for i, a in found if a.result == status and i.kinds}
    types = tuple(TypeAudit(_types(i), a) for i, a in found)
    if any(len(list(islice(law.instances(kinds), MOST_TYPES + 1))) > MOST_TYPES for law in laws[0]):
        status, reason = worst((status, "unknown")), f"there are more than {MOST_TYPES:,} choices of types"
        types = (*types, TypeAudit((), Audit("unknown", reason=reason)))
    return RuleAudit(name, "static", status, tuple(sorted(own - {0})), place, types, time.monotonic() - started)


def _instances(law: Law, kinds: Sequence[Kind], width: int) -> list[Instance]:
    """The instances of a law at these types; if there is none, at others, including `index`."""
    others = (Kind(INDEX, width), *[Kind(FloatType(name), 0) for name in FORMAT_BITS])
    found = list(islice(law.instances(kinds), MOST_TYPES))
    return found or list(islice(law.instances((*kinds, *others)), MOST_TYPES))


def _types(instance: Instance) -> tuple[str, ...]:
    """The types of an instance, with the width of `index`."""
    width = index_width(instance.equation)
    named = [str(kind.type) for kind in instance.kinds if kind.type != INDEX]
    return (*named, *([] if width is None else [f"index of {width} bits"]))


def _judged(instance: Instance, judge: Judge) -> Audit:
    if instance.equation.computed is None:
        found = _found(judge.judge(instance))
        premises = "; ".join(premises_text(instance.equation)) if found.result in ("proved", "refines") else ""
        return replace(found, reason=premises) if premises else found
    samples = [_found(judgement) for judgement in judge.samples(instance)]
    status: Status = worst([a.result for a in samples])
    worst_one = next((a for a in samples if a.result == status), Audit("inapplicable"))
    if status not in ("proved", "refines"):
        return worst_one
    reason = f"{len(samples)} literals were tried, {status} for each; any other is audited when it is met"
    return Audit("tested", "literals", reason=reason)


def _found(judgement: Judgement) -> Audit:
    """A judgement as an audit; what would only be trusted is unknown."""
    if judgement.status == "trusted":
        reason = "nothing is known of an operator, or the solver gave up"
        if judgement.model is not None:
            reason = "there is no proof, and the C library's functions do not agree with it at these values"
        return Audit("unknown", judgement.how, judgement.model, reason)
    return Audit(judgement.status, judgement.how, judgement.model)
