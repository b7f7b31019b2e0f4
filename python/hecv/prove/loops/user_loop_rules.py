"""The loop rules of users in a proof: each is audited by running before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, located

if TYPE_CHECKING:
    from hecv.patterns.calculus.loop_rules import LoopRule
    from hecv.patterns.calculus.pattern_ast import RuleFile


class LoopRules(Struct, frozen=True):
    """The rules that may be used; the error on one that is false; what is to be said of those that are left out."""

    usable: tuple[LoopRule, ...] = ()
    false: Diagnostic | None = None
    warnings: tuple[Diagnostic, ...] = ()


def admitted(files: Sequence[RuleFile]) -> LoopRules:
    """Audits the loop rules of these files, up to the first that is false."""
    # What runs the trials need not be loaded where there are none.
    from hecv.theorems.user_rules.loop_rule_audit import QUICK, audited

    usable: list[LoopRule] = []
    warnings: list[Diagnostic] = []
    for rule in (rule for file in files for rule in file.loops):
        audit = audited(rule, QUICK)
        place = located(rule.place)
        match audit.status:
            case "failed":
                text = f"'{rule.name}' is false: its sides were run, {audit.text}"
                hint = "both sides do the same wherever the conditions hold, and are undefined on the same inputs"
                return LoopRules((), Diagnostic("error", "rule-false", text, place, hint))
            case "unknown":
                text = f"'{rule.name}' is not used: {audit.text}, too few for an audit"
                hint = "state the rule for more bounds"
                warnings.append(Diagnostic("warning", "rule-untested", text, place, hint))
            case "tested":
                usable.append(rule)
    return LoopRules(tuple(usable), None, tuple(warnings))
