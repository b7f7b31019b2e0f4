"""Saturation of one goal: rounds of normalising laws, normal forms and expanding laws.

Rounds follow one another until the roots are equal or a budget is spent: the normalising laws to saturation, the normal
forms of what the e-graph then holds, and one guarded iteration of the expanding laws.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from hecv.egraph.enode_order import operands_first
from hecv.egraph.normal_forms.bitvector_forms import CONGRUENCE, NormalForms
from hecv.egraph.normal_forms.operator_chains import NormalNode, Operand
from hecv.egraph.saturation.law_compiler import EXPANDING, FOLDS, LAWS, LITERALS, OPERANDS, answers
from hecv.egraph.saturation.match_count import most_matches
from hecv.egraph.saturation.rule_evidence import Evidence
from hecv.egraph.saturation.rule_selection import RuleSession, ruleset_of
from hecv.egraph.session import Goal, Limits, Node, Run, Session
from hecv.egraph.total_terms import Dag, Symbol, literal_of, literal_symbol
from hecv.patterns.equations.constant_folding import Folder
from hecv.patterns.equations.equations import Number, Operation, Pattern
from hecv.patterns.equations.law_record import rule_of
from hecv.patterns.equations.premise_facts import Premise

if TYPE_CHECKING:
    from hecv.egraph.saturation.dynamic_rules import Dynamic

Given = tuple[Premise, tuple[int, ...]]
"""A premise that holds of these nodes."""

StopReason = Literal["proved", "saturated", "iteration-limit", "node-limit", "time-limit", "failed"]


class Budget(Struct, frozen=True):
    """The budget of one question; `nodes` are those that laws may add.

    An iteration of expanding laws starts only below a part of it, because it cannot be interrupted.
    """

    iterations: int = 30
    nodes: int = 10_000
    seconds: float = 3.0


class Answer(Struct, frozen=True):
    """Whether two terms are equal, why the search stopped, and the cost.

    `rules` counts matches by the names of laws and normal forms. `used_facts`: the answer may rest on facts of the
    goal, and then holds only where they do. `failure` is the engine's message if it failed.

    `instances` are the laws at their types that matched, `evidence` that of the users' rules among them. `grown` has
    the e-nodes that each expanding rule of a user made, or could have made if that was too many.
    """

    proved: bool
    stop_reason: StopReason
    rules: dict[str, int] = field(default_factory=dict[str, int])
    iterations: int = 0
    classes: int = 0
    nodes: int = 0
    seconds: float = 0.0
    used_facts: bool = False
    failure: str = ""
    instances: tuple[str, ...] = ()
    evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    grown: Mapping[str, int] = field(default_factory=dict[str, int])


class Search(Struct):
    """The search for one question."""

    goal: Goal
    rules: RuleSession
    folder: Folder
    budget: Budget
    roots: tuple[int, int]
    started: float
    index_width: int
    dynamic: Dynamic | None = None
    bare: bool = False
    given: int = 0
    iterations: int = 0
    matches: dict[str, int] = field(default_factory=dict[str, int])
    grown: dict[str, int] = field(default_factory=dict[str, int])
    answered: dict[str, set[tuple[int, ...]]] = field(default_factory=dict[str, set[tuple[int, ...]]])

    @property
    def session(self) -> Session:
        return self.goal.session

    def load(self, dag: Dag, forms: NormalForms, facts: Sequence[Given]) -> None:
        """Enters the nodes, with their positions as ids, and what normal forms and facts say of them."""
        self.given = len(dag.entries)
        for entry in dag.entries:
            self.goal.add([Node(self.session.symbol(entry.symbol), entry.args)])
            if literal_of(entry.symbol) is not None:
                self.goal.insert("literal", [(self.session.symbol(entry.symbol),)])
        # Normal forms have classes of their own, too, whose numbers are no ids.
        self.goal.equate(self._named(forms, range(len(dag.entries))))
        self._count(forms)
        for premise, args in facts:
            if 0 < len(args) <= OPERANDS:
                self.goal.insert(f"given{len(args)}", [(self.session.symbol(premise), *args)])

    def run(self) -> Answer:
        """Rounds of laws, normal forms and expansion; users' rules first."""
        while True:
            reason = self._step(LAWS, self.budget.iterations)
            if reason != "saturated":
                return self._answer(reason)
            if self._renormalise():
                continue
            before = self.goal.sizes()
            reason, blocked = self._expand_by_users()
            if reason == "saturated":
                reason = self._match()
            if reason == "saturated" and self.goal.node_count() > self.given + self.budget.nodes // 8:
                reason = "node-limit"
            if reason == "saturated":
                reason = self._step(EXPANDING, 1)
            if reason == "saturated" and self.goal.sizes() == before:
                return self._answer("node-limit" if blocked else reason)
            if reason in ("proved", "node-limit", "time-limit"):
                return self._answer(reason)

    def _expand_by_users(self) -> tuple[StopReason, bool]:
        """One iteration of each rule of a user that expands; whether one was left out, as there is no room for what it
        may make."""
        blocked = False
        for rule, instances in self.rules.users.items():
            classes = self.goal.classes()
            sizes = [(most_matches(self.session, classes, i.equation.left), _size(i.equation.right)) for i in instances]
            most = sum(matches * size for matches, size in sizes)
            before = self.goal.node_count()
            if before + most > self.given + self.budget.nodes:
                self.grown[rule] = max(self.grown.get(rule, 0), most)
                blocked = True
                continue
            reason = self._step(ruleset_of(rule), 1)
            self.grown[rule] = self.grown.get(rule, 0) + self.goal.node_count() - before
            if reason != "saturated":
                return reason, blocked
        return "saturated", blocked

    def _match(self) -> StopReason:
        """One round of the rules that are matched outside."""
        if self.dynamic is None or not self.dynamic.rules:
            return "saturated"
        if self.goal.node_count() > self.given + self.budget.nodes:
            return "node-limit"
        look = self.dynamic.look(self.session, self.goal, self.started + self.budget.seconds)
        for rule in self.dynamic.rules:
            entered = look.apply(rule)
            for name in entered.instances:
                self.matches[name] = self.matches.get(name, 0) + 1
            self.grown[rule.rule.name] = self.grown.get(rule.rule.name, 0) + entered.nodes
        return "proved" if self.goal.equal(*self.roots) else "saturated"

    def _step(self, ruleset: str, iterations: int) -> StopReason:
        """Runs a ruleset within what is left of the budget."""
        left = min(iterations, self.budget.iterations - self.iterations)
        limits = Limits(left, self.given + self.budget.nodes, self.started + self.budget.seconds)
        run: Run = self.goal.run(ruleset, limits, [self.roots], self._respond)
        self.iterations += run.iterations
        for name, count in run.matches.items():
            self.matches[name] = self.matches.get(name, 0) + count
        self.goal.check()
        exhausted = self.iterations >= self.budget.iterations or iterations > 1
        return "saturated" if run.stop_reason == "iteration-limit" and not exhausted else run.stop_reason

    def _respond(self) -> bool:
        """Answers what laws asked about literals, and folds operators on literals."""
        sizes = self.goal.sizes()
        changed = False
        for count in range(1, LITERALS + 1):
            for relation, act in ((f"ask{count}", self._reply), (f"fold{count}", self._fold)):
                seen = self.answered.setdefault(relation, set())
                if sizes[relation] > len(seen):
                    fresh = [row for row in self.goal.rows(relation) if row not in seen]
                    seen.update(fresh)
                    answered = [act(row) for row in fresh]
                    changed = changed or any(answered)
        return changed

    def _reply(self, row: tuple[int, ...]) -> bool:
        question, *literals = row
        asked = self.rules.compiler.questions[question]
        results = asked.answer([self.session.key(n) for n in literals], self.folder)
        if results is None:
            return False
        symbols = [self.session.symbol(result) for result in results]
        self.goal.insert("literal", [(s,) for s in symbols])
        self.goal.insert(answers(len(literals), len(results)), [(*row, *symbols)])
        return True

    def _fold(self, row: tuple[int, ...]) -> bool:
        symbol: Symbol = self.session.key(row[0])
        result = fold(symbol, [self.session.key(n) for n in row[1:]], self.folder)
        if result is None:
            return False
        number = self.session.symbol(result)
        operands = self.goal.add([Node(n) for n in row[1:]])
        whole, value = self.goal.add([Node(row[0], tuple(operands)), Node(number)])
        self.goal.insert("literal", [(number,)])
        self.goal.equate([(whole, value)])
        self.matches["constant-folding"] = self.matches.get("constant-folding", 0) + 1
        return True

    def _renormalise(self) -> bool:
        """Merges classes of the e-graph whose nodes have one normal form; whether there were any."""
        if self.goal.node_count() > self.given + self.budget.nodes // 4:
            return False
        classes = self.goal.classes()
        forms = NormalForms(len(classes.nodes), self.index_width, self.bare)
        for home, node in operands_first(classes.nodes):
            symbol: Symbol = self.session.key(node.symbol)
            forms.enter(home, NormalNode(symbol, operands_of(symbol, node.args)))
        names = {home: number for number, home in classes.of.items()}
        pairs = [(names[a], names[b]) for a, b in self._named(forms, names)]
        self.goal.equate(pairs)
        self._count(forms)
        return bool(pairs)

    def _named(self, forms: NormalForms, homes: Iterable[int]) -> list[tuple[int, int]]:
        """Pairs of these classes that were merged."""
        first: dict[int, int] = {}
        pairs: list[tuple[int, int]] = []
        for home in homes:
            known = first.setdefault(forms.find(home), home)
            if known != home:
                pairs.append((known, home))
        return pairs

    def _count(self, forms: NormalForms) -> None:
        for name, count in forms.uses.items():
            if name != CONGRUENCE:
                self.matches[name] = self.matches.get(name, 0) + count

    def _answer(self, reason: StopReason) -> Answer:
        rules: dict[str, int] = {}
        for name, count in self.matches.items():
            if not name.endswith("?") and name not in FOLDS:
                rule = rule_of(name)
                rules[rule] = rules.get(rule, 0) + count
        return Answer(
            reason == "proved",
            reason,
            rules,
            self.iterations,
            len(self.goal.classes().nodes),
            self.goal.node_count(),
            time.process_time() - self.started,
            any(name in self.rules.conditional for name in self.matches),
            instances=tuple(self.matches),
            grown=self.grown,
        )


def _size(side: Pattern) -> int:
    """The operators and literals of a pattern."""
    match side:
        case Operation(args=args):
            return 1 + sum(map(_size, args))
        case Number():
            return 1
        case _:
            return 0


def fold(symbol: Symbol, operands: Sequence[Symbol], folder: Folder) -> Symbol | None:
    """The literal that an operator on literals gives; None if its value is unknown."""
    values = [literal_of(operand) for operand in operands]
    known = tuple(v for v in values if v is not None)
    types = (symbol.type, *symbol.operands)
    if symbol.unknown or len(known) < len(values) or any(str(t) == "exact" for t in types):
        return None
    value = folder.fold(symbol.op, symbol.attrs, symbol.operands, symbol.type, known)  # type: ignore[arg-type]
    return None if value is None else literal_symbol(value, symbol.type)


def operands_of(symbol: Symbol, args: Sequence[int]) -> tuple[Operand, ...]:
    """The operands of one node, with their signs in a difference."""
    signs = (1, -1) if symbol.op == "arith.subi" else (1,) * len(args)
    return tuple(Operand(a, s) for a, s in zip(args, signs, strict=True))
