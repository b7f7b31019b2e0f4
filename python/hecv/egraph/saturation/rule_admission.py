"""Admission of users' laws: which of their instances may be used, and on what evidence.

A proved instance may be used. One that is only tested, or unknown, may be used if the user trusts it, and taints the
verdict. A one-way law is never used, and a law that is false is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.types import IndexType
from hecv.egraph.saturation.rule_evidence import Evidence, FalseLaw, Refusal, weaker
from hecv.egraph.saturation.runner import Budget
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.laws.audit.equation_evidence import Judge, Judgement, Prover, Status
from hecv.laws.audit.refinement_proofs import as_term
from hecv.patterns.calculus.literal_conversion import signed_value
from hecv.patterns.equations.constant_folding import Folder
from hecv.patterns.equations.equations import (
    BIT,
    Equation,
    Kind,
    Operation,
    Pattern,
    Scalar,
    Variable,
    at_literals,
    variables,
)
from hecv.patterns.equations.law_record import Instance, Law, rule_of

USABLE: Final[Mapping[Status, Evidence]] = {"proved": "proved", "tested": "tested", "trusted": "trusted"}


class Admission(Struct):
    """Admits the users' laws called `names` on evidence, and every other law without; `evidence` is by names of
    instances."""

    names: frozenset[str]
    judge: Judge
    trust: bool
    evidence: dict[str, Evidence] = field(default_factory=dict[str, Evidence])
    refused: dict[str, Refusal] = field(default_factory=dict[str, Refusal])
    noted: Callable[[str], None] = lambda _: None
    """Called with the rule that is being judged."""
    _known: dict[str, Instance | None] = field(default_factory=dict[str, "Instance | None"])

    def admit(self, instance: Instance) -> Instance | None:
        """The instance as it may be used; None if it may not.

        Raises: FalseLaw.
        """
        if instance.law.name not in self.names:
            return instance
        if instance.name not in self._known:
            self._known[instance.name] = self._admitted(instance)
        return self._known[instance.name]

    def proved(self, law: Law) -> Law:
        """The law at the types at which it is proved, for an engine that neither computes literals nor counts matches.

        Without types at which it computes with literals, or may have more matches than there are nodes and makes terms
        grow.
        """

        return replace(law, define=_Proved(law, self.judge))

    def owns(self, instance: Instance) -> bool:
        """Whether the instance is of a user's law."""
        return instance.law.name in self.names

    def evidence_of(self, instances: Iterable[str]) -> dict[str, Evidence]:
        """The evidence of the users' rules behind instances of these names."""
        found: dict[str, Evidence] = {}
        for name in instances:
            if name in self.evidence:
                rule = rule_of(name)
                found[rule] = weaker(found.get(rule, "proved"), self.evidence[name])
        return found

    def _admitted(self, instance: Instance) -> Instance | None:
        self.noted(rule_of(instance.name))
        equation = instance.equation
        if equation.computed is None:
            return instance if self.accept(instance, equation, self.judge.judge(instance)) else None
        for judgement in self.judge.samples(instance):
            self._require_true(instance, equation, judgement)
        return replace(instance, equation=replace(equation, computed=lambda values: self._compute(instance, values)))

    def _compute(self, instance: Instance, values: Mapping[str, Scalar]) -> Mapping[str, Scalar] | None:
        """What the law computes from literals, where it may be used for them."""
        equation = instance.equation
        assert equation.computed is not None
        found = equation.computed(values)
        special = at_literals(equation, values)
        if found is None or special is None:
            return None
        return found if self.accept(instance, special, self.judge.judge_at(instance, values)) else None

    def accept(self, instance: Instance, equation: Equation, judgement: Judgement, partial: bool = False) -> bool:
        """Whether an equation may be used, given the judgement on it.

        `partial`: the rule has conditions that the equation lacks, so the equation may be false where the rule is
        right.
        Raises: FalseLaw.
        """
        if partial and judgement.status == "failed":
            judgement = Judgement("refines", judgement.how, judgement.model)
        self._require_true(instance, equation, judgement)
        name, rule = instance.name, rule_of(instance.name)
        evidence = USABLE.get(judgement.status)
        if evidence == "proved" or (evidence is not None and self.trust):
            self.evidence[name] = weaker(self.evidence.get(name, "proved"), evidence)
            return True
        if judgement.status != "inapplicable":
            why = "one-way" if judgement.status == "refines" else "unproved"
            refusal = Refusal(rule, instance.law.place, why, _refusal_text(rule, equation, judgement))
            self.refused.setdefault(rule, refusal)
        return False

    def _require_true(self, instance: Instance, equation: Equation, judgement: Judgement) -> None:
        if judgement.status == "failed":
            text = f"'{rule_of(instance.name)}' is false: {difference(equation, judgement)}"
            raise FalseLaw(rule_of(instance.name), instance.law.place, text)


class _Proved(Struct, frozen=True):
    """The equation of a law where it is proved and needs no care, see `Admission.proved`."""

    law: Law
    judge: Judge

    @property
    def arity(self) -> int:
        return self.law.arity

    @property
    def root(self) -> str:
        return self.law.root

    def __call__(self, *kinds: Kind) -> Equation | None:
        instance = self.law.instance(kinds)
        if instance is None or instance.equation.computed is not None:
            return None
        left = instance.equation.left
        if self.law.expands and isinstance(left, Operation) and any(isinstance(a, Operation) for a in left.args):
            return None
        return instance.equation if self.judge.judge(instance).status == "proved" else None


def admission(laws: Iterable[Law], judge: Judge, trust: bool) -> Admission:
    """The admission of these users' laws."""
    return Admission(frozenset(law.name for law in laws), judge, trust)


def prover(book: Sequence[Law], index_width: int) -> Prover:
    """Proves equations by the laws of the book."""
    engine = TermEngine(book, Budget(iterations=10, nodes=2_000, seconds=0.5), index_width)

    def prove(equation: Equation) -> bool:
        pool = TermPool()
        return engine.equal(as_term(equation.left, pool), as_term(equation.right, pool)).proved

    return prove


def _refusal_text(rule: str, equation: Equation, judgement: Judgement) -> str:
    if judgement.status == "refines":
        return f"'{rule}' is not used for proof: it is no equality of values, {difference(equation, judgement)}"
    known = "tests agree with it" if judgement.status == "tested" else "nothing is known of it"
    if judgement.status == "trusted" and judgement.model is not None:
        known = f"and the C library's functions do not agree with it {difference(equation, judgement)}"
    return f"'{rule}' is not used for proof: it could not be proved, {known}"


def difference(equation: Equation, judgement: Judgement) -> str:
    """A counterexample in words: its values, and those of both sides."""
    model = judgement.model or {}
    holes = variables(equation.left)
    given = ", ".join(f"{name} = {_text(holes, name, value)}" for name, value in model.items())
    known = {name: v for name in holes if not isinstance(v := model.get(_shown(name), 0), str)}
    left, right = (_side(side, known) for side in (equation.left, equation.right))
    types = ", ".join(dict.fromkeys(str(h.kind.type) for h in holes.values()))
    sides = "" if left is None or right is None or left == right else f"the left side is {left}, the right side {right}"
    at = f"for {given} of type {types}" if given else "always"
    return f"{at}, {sides}" if sides else at


def _shown(name: str) -> str:
    return name.lstrip("?").split(".")[0]


def _text(holes: Mapping[str, Variable], name: str, value: int | float | bool | str) -> str:
    hole = next((hole for hole in holes.values() if _shown(hole.name) == name), None)
    return str(value) if hole is None or isinstance(value, str) else _shown_value(value, hole.kind)


def _shown_value(value: Scalar, kind: Kind) -> str:
    return ("false", "true")[int(value)] if kind == BIT else str(signed_value(value, kind))


def _side(side: Pattern, values: Mapping[str, Scalar]) -> str | None:
    width = next((k.width for k in _kinds(side) if isinstance(k.type, IndexType)), 64)
    found = Folder(width).evaluate(side, values)
    return None if found is None else _shown_value(found, side.kind)


def _kinds(side: Pattern) -> Iterator[Kind]:
    yield side.kind
    if isinstance(side, Operation):
        for operand in side.args:
            yield from _kinds(operand)
