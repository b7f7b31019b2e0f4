"""Decides whether two terms are equal by the static laws: normal forms first, then an e-graph."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from hecv.base.term import Term
from hecv.egraph.normal_forms.bitvector_forms import CONGRUENCE, NormalForms
from hecv.egraph.normal_forms.operator_chains import chains, family_of
from hecv.egraph.saturation.rule_selection import Library
from hecv.egraph.saturation.runner import Answer, Budget, Given, Search
from hecv.egraph.session import Contradiction, EngineFailure, engine
from hecv.egraph.total_terms import Dag, reachable
from hecv.patterns.equations.constant_folding import Folder
from hecv.patterns.equations.law_record import Law
from hecv.patterns.equations.premise_facts import Fact

if TYPE_CHECKING:
    from hecv.egraph.saturation.dynamic_rules import Dynamic
    from hecv.egraph.saturation.rule_admission import Admission
    from hecv.egraph.saturation.rule_evidence import Refusal


class TermEngine:
    """Answers questions about terms by laws; rules are compiled once for the operators that occur.

    Users' laws are used as `admission` says, and so are `dynamic` rules. A `bare` engine has no normal forms except
    commutativity.
    """

    def __init__(
        self,
        laws: Sequence[Law],
        budget: Budget | None = None,
        index_width: int = 64,
        admission: Admission | None = None,
        dynamic: Dynamic | None = None,
        bare: bool = False,
    ) -> None:
        self.laws: Final = tuple(laws)
        self.budget: Final = budget or Budget()
        self.index_width: Final = index_width
        self._folder: Final = Folder(index_width)
        self._admission: Final = admission
        self._bare: Final = bare
        self.dynamic: Final = dynamic
        self._library: Final = Library(self.laws, index_width, admission)

    def admit(self, terms: Iterable[Term]) -> None:
        """Admits the laws that could fire on these terms.

        Raises: FalseLaw.
        """
        dag = Dag.empty()
        for term in terms:
            dag.enter(term)
        self._library.reach(dag.entries)

    @property
    def refused(self) -> Mapping[str, Refusal]:
        """The users' rules of which some instance could not be used so far, and why."""
        return {} if self._admission is None else self._admission.refused

    def equal(self, source: Term, target: Term, facts: Iterable[Fact] = ()) -> Answer:
        """Whether the two have the same total value, for all values of their leaves for which `facts` hold.

        Contradictory facts, as those of a source that is never defined, are ignored.

        Requires: both are of one pool, and `facts` are about terms of that pool.
        Raises: Contradiction if a law or the engine is wrong, FalseLaw if a user's law is.
        """
        started = time.process_time()
        dag = Dag.empty()
        roots = (dag.enter(source), dag.enter(target))
        if roots[0] == roots[1]:
            return Answer(True, "proved", {CONGRUENCE: 1}, seconds=time.process_time() - started)
        if not self.laws and not (self.dynamic and self.dynamic.rules):
            return Answer(False, "saturated", seconds=time.process_time() - started)
        given = [(fact.premise, tuple(dag.enter(a) for a in fact.args)) for fact in facts]
        forms = _normal_forms(dag, roots, self.index_width, self._bare)
        if forms.find(roots[0]) == forms.find(roots[1]):
            uses = {name: count for name, count in forms.uses.items() if name != CONGRUENCE}
            size = len(reachable(dag.entries, roots))
            return Answer(True, "proved", uses, nodes=size, seconds=time.process_time() - started)
        try:
            return self._search(dag, roots, forms, given, started)
        except Contradiction:
            if not given:
                raise
            return self._search(dag, roots, forms, [], started)

    def _search(
        self, dag: Dag, roots: tuple[int, int], forms: NormalForms, facts: list[Given], started: float
    ) -> Answer:
        try:
            engine()
        except EngineFailure as problem:  # sessions of another process are not even let go: that, too, waits for ever
            return Answer(False, "failed", seconds=time.process_time() - started, failure=str(problem))
        try:
            rules = self._library.session(dag.entries)
            with rules.session.goal() as goal:
                search = Search(
                    goal, rules, self._folder, self.budget, roots, started, self.index_width, self.dynamic, self._bare
                )
                search.load(dag, forms, facts)
                return self._weighed(search.run())
        except Contradiction:
            self._library.forget()
            raise
        except EngineFailure as problem:
            self._library.forget()
            return Answer(False, "failed", seconds=time.process_time() - started, failure=str(problem))

    def _weighed(self, answer: Answer) -> Answer:
        """The answer with the evidence of the users' rules that it used."""
        if self._admission is None:
            return answer
        return replace(answer, evidence=self._admission.evidence_of(answer.instances))


def _no_family(op: str) -> None:
    """Every node stands for itself."""


def _normal_forms(dag: Dag, roots: tuple[int, int], index_width: int, bare: bool) -> NormalForms:
    forms = NormalForms(len(dag.entries), index_width, bare)
    symbols = [entry.symbol for entry in dag.entries]
    args = [entry.args for entry in dag.entries]
    for number, node in chains(symbols, args, set(roots), _no_family if bare else family_of):
        forms.enter(number, node)
    return forms
