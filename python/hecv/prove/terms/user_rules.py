"""The rules of users in a proof: which of them are used, on what evidence, and what is to be said of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, located
from hecv.base.term import Term
from hecv.egraph.saturation.rule_evidence import Evidence, FalseLaw, Refusal, weaker
from hecv.egraph.saturation.runner import Answer, Budget
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.egraph.session import Contradiction
from hecv.laws.all_laws import LAWS
from hecv.patterns.equations.law_record import Law
from hecv.patterns.equations.premise_facts import Fact

if TYPE_CHECKING:
    from hecv.egraph.saturation.dynamic_rules import Dynamic
    from hecv.egraph.saturation.rule_admission import Admission
    from hecv.patterns.calculus.pattern_ast import RuleFile

HELP: Final = {
    "one-way": "write a law whose two sides have the same value for all operands, divisors that are 0 included",
    "unproved": "--trust uses it all the same, and the verdict says so",
}


class Rulebook:
    """The laws of the book, and those of users: first those that are proved, then with those that are trusted."""

    def __init__(
        self, files: Sequence[RuleFile], trust: bool, budget: Budget, index_width: int, static: bool = True
    ) -> None:
        """Without `static` rules of users are alone, without normal forms; the laws of the book still judge them."""
        book = LAWS if static else ()
        users = _users(files, trust, index_width) if files else None
        self._laws: Final = users.laws if users is not None else ()
        self._dynamic: Final = frozenset(users.dynamic) if users is not None else frozenset[str]()
        self._admissions: Final[tuple[Admission, ...]] = users.admissions if users is not None else ()
        self._matched: Final[tuple[Dynamic, ...]] = users.matched if users is not None else ()
        self._engines: Final = (
            (TermEngine(book, budget, index_width, bare=not static),)
            if users is None
            else tuple(
                TermEngine((*book, *users.laws), budget, index_width, admitted, rules, not static)
                for admitted, rules in zip(users.admissions, users.matched, strict=True)
            )
        )
        self._evidence: Final[dict[str, Evidence]] = {}
        self._contradicted = False

    def admit(self, terms: Sequence[Term], noted: Callable[[str], None]) -> None:
        """Judges the rules that may fire on these terms; `noted` is told which.

        Raises: FalseLaw.
        """
        for admission in self._admissions:
            admission.noted = noted
        for engine in self._engines:
            engine.admit(terms)
        for admission in self._admissions:
            admission.noted = _ignore

    def equal(self, source: Term, target: Term, facts: Iterable[Fact]) -> Answer:
        """Whether the laws show the terms equal, on trust only where they do not without.

        Raises: Contradiction, FalseLaw.
        """
        given = tuple(facts)
        answer = self._engines[0].equal(source, target, given)
        if not answer.proved and len(self._engines) > 1 and self._unproved():
            try:
                answer = self._engines[1].equal(source, target, given)
            except Contradiction:
                self._contradicted = True
        if answer.proved:
            for rule, evidence in answer.evidence.items():
                self._evidence[rule] = weaker(self._evidence.get(rule, "proved"), evidence)
        return answer

    def proved_laws(self) -> tuple[Law, ...]:
        """The laws of users at the types at which they are proved."""
        return tuple(self._admissions[0].proved(law) for law in self._laws)

    def used(self, names: Iterable[str]) -> dict[str, tuple[Law, Evidence]]:
        """The users' laws that instances of these names are of, with the evidence of each, by name of the law."""
        known = {law.name: law for law in self._laws}
        for rules in self._matched:
            known |= {law.name: law for law in rules.laws()}
        found: dict[str, tuple[Law, Evidence]] = {}
        for name in names:
            law = name.partition("@")[0]
            for admission in self._admissions:
                if law in known and name in admission.evidence:
                    found[law] = known[law], weaker(found.get(law, (None, "proved"))[1], admission.evidence[name])
        return found

    def _unproved(self) -> bool:
        return any(refusal.why == "unproved" for refusal in self._engines[0].refused.values())

    def kind(self, rule: str) -> Literal["static", "dynamic"]:
        """Whether a rule is a law, or its matches are entered one by one."""
        return "dynamic" if rule in self._dynamic else "static"

    def evidence(self, rule: str) -> Evidence:
        """The evidence of a rule that was used."""
        return self._evidence.get(rule, "proved")

    def trusted(self) -> tuple[str, ...]:
        """The rules that were used on less than a proof."""
        return tuple(sorted(rule for rule, evidence in self._evidence.items() if evidence != "proved"))

    def notes(self) -> Iterator[str]:
        """What rules left open."""
        bounded = {name for engine in self._engines if engine.dynamic is not None for name in engine.dynamic.bounded}
        for name in sorted(bounded):
            yield f"the search for matches of the rule '{name}' met a bound: there may be more"
        if self._contradicted:
            yield "rules taken on trust contradict each other, or the laws"

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is to be said of rules that may not be used."""
        return tuple(map(_warning, self._engines[-1].refused.values()))


def _ignore(_rule: str) -> None:
    """Nobody asks which rule is judged."""


class _Users(Struct, frozen=True):
    """The rules of users: laws, the names of those that are matched outside, and how they are admitted and matched,
    first without trust."""

    laws: tuple[Law, ...]
    dynamic: tuple[str, ...]
    admissions: tuple[Admission, ...]
    matched: tuple[Dynamic, ...]


def _users(files: Sequence[RuleFile], trust: bool, index_width: int) -> _Users:
    # Z3, which judges rules, takes a tenth of a second to load, and most checks have no rules.
    from hecv.egraph.saturation.dynamic_rules import Dynamic, dynamic_rule
    from hecv.egraph.saturation.rule_admission import admission, prover
    from hecv.laws.audit.equation_evidence import Judge
    from hecv.patterns.typing.typed_rules import laws_of

    typed = [laws_of(file, index_width) for file in files]
    laws = tuple(law for found in typed for law in found.laws)
    rules = [
        dynamic_rule(rule, file.definitions, file.operators)
        for file, found in zip(files, typed, strict=True)
        for rule in file.rules
        if rule.name in found.others
    ]
    judge = Judge(prover(LAWS, index_width))
    admissions = tuple(admission(laws, judge, trusting) for trusting in ((False, True) if trust else (False,)))
    matched = tuple(Dynamic(rules, admitted, index_width) for admitted in admissions)
    return _Users(laws, tuple(r.rule.name for r in rules), admissions, matched)


def _warning(refusal: Refusal) -> Diagnostic:
    return Diagnostic("warning", f"rule-{refusal.why}", refusal.text, located(refusal.place), HELP[refusal.why])


def rejection(problem: FalseLaw) -> Diagnostic:
    """The error on a law that is false."""
    hint = "a law used for proof has the same value on both sides for all operands for which its guards hold"
    return Diagnostic("error", "rule-false", problem.text, located(problem.place), hint)
