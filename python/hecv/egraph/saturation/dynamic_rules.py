"""Dynamic rules: user rules that are no finite set of equations, matched over e-classes between iterations.

Between iterations the machine of the rule language looks for all matches of recursive patterns, function variables and
operators without a meaning here. Each match becomes a ground equation: the term that was matched, with variables for
the classes in it, and the replacement. The evidence for that equation decides whether it may be used; the guards of the
rule are no part of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from hecv.base.types import FloatType, IndexType, IntType, OpaqueType
from hecv.egraph.class_ids import Namer
from hecv.egraph.saturation.rule_admission import Admission
from hecv.egraph.session import Classes, Goal, Node, Session
from hecv.egraph.total_terms import Symbol, ValueType, literal_of, literal_symbol
from hecv.patterns.calculus.claim_unfolding import mentioned
from hecv.patterns.calculus.guard_expressions import evaluate
from hecv.patterns.calculus.literal_conversion import NoInstance
from hecv.patterns.calculus.matches import Bound, Match
from hecv.patterns.calculus.pattern_ast import (
    Branch,
    Build,
    BuildVariable,
    Computed,
    Declaration,
    Definition,
    Definitions,
    Expression,
    Rule,
    Same,
    guards,
)
from hecv.patterns.equations.equations import (
    Equation,
    Kind,
    Number,
    Operation,
    Pattern,
    Scalar,
    Variable,
    kind_of,
    variables,
)
from hecv.patterns.equations.law_record import NUMBER, Instance, Law, Single
from hecv.patterns.machine.eclass_subject import LEAVES, ClassSubject, Member
from hecv.patterns.machine.machine import Search as Machine
from hecv.patterns.machine.pattern_program import Program, compiled
from hecv.patterns.typing.claim_guards import literals_asked
from hecv.patterns.typing.ground_replacement import Builder, Signature
from hecv.patterns.typing.match_derivation import Derivation, derivation
from hecv.patterns.typing.typed_parts import is_structural

STEPS: Final = 100_000
DEPTH: Final = 64
MOST_EQUALITIES: Final = 500
"""The most equalities entered in one round of one rule."""


class DynamicRule(Struct, frozen=True):
    """A rule with the declarations of its file. `structural`: its guards ask which operators make a value, which an
    equation cannot say of its variables."""

    rule: Rule
    definitions: Definitions
    operators: Mapping[str, Declaration]
    program: Program
    structural: bool


def dynamic_rule(rule: Rule, definitions: Definitions, operators: Mapping[str, Declaration]) -> DynamicRule:
    """The rule, ready to be matched."""
    asked = [g for d in definitions.values() for g in guards(d.body)] + [b.guard for b in rule.branches]
    structural = any(is_structural(a, ()) and a.path != ("name",) for g in asked for a in mentioned(g))
    return DynamicRule(rule, definitions, operators, compiled(definitions), structural)


class Dynamic(Struct):
    """The dynamic rules of one engine; `bounded` names those whose search for matches met a limit."""

    rules: Sequence[DynamicRule]
    admission: Admission
    index_width: int
    bounded: set[str] = field(default_factory=set[str])
    _numbers: dict[tuple[str, Equation], int] = field(default_factory=dict[tuple[str, Equation], int])
    _laws: dict[tuple[str, int], Law] = field(default_factory=dict[tuple[str, int], Law])

    def look(self, session: Session, goal: Goal, deadline: float) -> Round:
        """A snapshot of the e-graph, to match against."""
        return Round(self, session, goal, deadline)

    def instance(self, rule: Rule, equation: Equation) -> Instance:
        """The equation under a name of its own."""
        number = self._numbers.setdefault((rule.name, equation), len(self._numbers))
        place = str(rule.place) if rule.place else rule.name
        law = self._laws.setdefault(
            (rule.name, number), Law(f"{rule.name}{NUMBER}{number}", "any", Single(equation), place)
        )
        return Instance(law, tuple(dict.fromkeys(_kinds(equation.left))), equation)

    def laws(self) -> tuple[Law, ...]:
        """The equations that matches have given so far, each under its name."""
        return tuple(self._laws.values())


class Entered(Struct, frozen=True):
    """The result of a rule in one round: instances that were entered, and the most e-nodes that they may have made."""

    instances: tuple[str, ...]
    nodes: int


class Round:
    """One round of matching dynamic rules against the e-graph."""

    def __init__(self, dynamic: Dynamic, session: Session, goal: Goal, deadline: float) -> None:
        self._dynamic: Final = dynamic
        self._session: Final = session
        self._goal: Final = goal
        self._deadline: Final = deadline
        self._classes: Final = goal.classes()
        self._view: Final = _View(session, self._classes, dynamic.index_width)
        self._namer: Final = Namer(self._goal, self._classes)
        self._home: Final = {(n.symbol, n.args): c for c, nodes in enumerate(self._classes.nodes) for n in nodes}

    def apply(self, rule: DynamicRule) -> Entered:
        """Enters the equalities of the rule's matches.

        Raises: FalseLaw.
        """
        entered: list[str] = []
        nodes = 0
        for home, instance, derived in self._equations(rule):
            right = self._find(instance.equation.right, derived.classes)
            if right == home:
                continue
            admission = self._dynamic.admission
            if not admission.accept(instance, instance.equation, admission.judge.judge(instance), rule.structural):
                continue
            ours, theirs = self._namer.name(home), self._enter(instance.equation.right, derived.classes)
            if ours is None or theirs is None:
                continue
            self._goal.equate([(ours, theirs)])
            entered.append(instance.name)
            nodes += _size(instance.equation.right)
            if len(entered) >= MOST_EQUALITIES:
                self._dynamic.bounded.add(rule.rule.name)
                break
        return Entered(tuple(entered), nodes)

    def _equations(self, rule: DynamicRule) -> Iterator[tuple[int, Instance, Derivation]]:
        subject = self._view.subject(rule.operators)
        machine = Machine(rule.program, subject, DEPTH, STEPS, frozen=True)
        for home in range(len(self._classes.nodes)):
            if subject.kinds[home] is None:
                continue
            for match in machine.matches(rule.rule.pattern, home):
                if time.process_time() > self._deadline:
                    self._dynamic.bounded.add(rule.rule.name)
                    return
                yield from self._equation(rule, subject, match, home)
        if machine.depth_reached or machine.out_of_steps:
            self._dynamic.bounded.add(rule.rule.name)

    def _equation(
        self, rule: DynamicRule, subject: ClassSubject, match: Match, home: int
    ) -> Iterator[tuple[int, Instance, Derivation]]:
        own = _renamed(rule.rule, rule.definitions, match)
        branch = _branch(rule.rule, Bound(own, subject))
        if branch is None:
            return
        definition = rule.definitions[rule.rule.pattern]
        derived = derivation(rule.definitions, definition, match, subject, home, _literals_asked(rule.rule, definition))
        if derived is None:
            self._dynamic.bounded.add(rule.rule.name)
            return
        if not isinstance(derived.term, Operation):
            return
        names = {p.name: d.name for p, d in zip(rule.rule.parameters, definition.parameters, strict=True)}
        named = {name: derived.named[d] for name, d in names.items() if d in derived.named}
        builder = Builder(Bound(own, subject), named, self._view.known, self._dynamic.index_width)
        try:
            right = builder.build(branch.replacement, derived.term.kind)
        except NoInstance:
            return
        if right.kind != derived.term.kind or not variables(right).keys() <= variables(derived.term).keys():
            return
        yield home, self._dynamic.instance(rule.rule, Equation(derived.term, right)), derived

    # Entering right sides

    def _find(self, side: Pattern, classes: Mapping[str, int]) -> int | None:
        """The class that a pattern is in already."""
        match side:
            case Variable(name=name):
                return classes[name]
            case Number():
                return self._home.get((self._session.symbol(_literal(side)), ()))
            case Operation(args=args):
                operands = [self._find(a, classes) for a in args]
                known = tuple(o for o in operands if o is not None)
                if len(known) < len(operands):
                    return None
                return self._home.get((self._session.symbol(_symbol(side)), known))
            case _:
                raise AssertionError(side)

    def _enter(self, side: Pattern, classes: Mapping[str, int]) -> int | None:
        """The id of a pattern that was entered."""
        match side:
            case Variable(name=name):
                return self._namer.name(classes[name])
            case Number():
                symbol = self._session.symbol(_literal(side))
                self._goal.insert("literal", [(symbol,)])
                return self._goal.add([Node(symbol)])[0]
            case Operation(args=args):
                operands = [self._enter(a, classes) for a in args]
                known = tuple(o for o in operands if o is not None)
                if len(known) < len(operands) or len(known) not in self._session.arities:
                    return None
                return self._goal.add([Node(self._session.symbol(_symbol(side)), known)])[0]
            case _:
                raise AssertionError(side)


def _renamed(rule: Rule, definitions: Definitions, match: Match) -> Match:
    """The match by the rule's own names of the parameters."""
    theirs = [p.name for p in definitions[rule.pattern].parameters]
    names = dict(zip(theirs, (p.name for p in rule.parameters), strict=True))
    return Match(
        {names[k]: v for k, v in match.terms.items() if k in names},
        {names[k]: v for k, v in match.functions.items() if k in names},
        {names[k]: v for k, v in match.arities.items() if k in names},
    )


def _literals_asked(rule: Rule, definition: Definition) -> frozenset[str]:
    """The parameters of the definition of which the rule asks the value."""
    expressions: list[Expression] = []
    for branch in rule.branches:
        expressions.append(branch.guard)
        stack = [branch.replacement]
        while stack:
            match stack.pop():
                case Computed(value=value):
                    expressions.append(value)
                case Build(args=args, attrs=attrs):
                    stack.extend(args)
                    expressions += [value for _, value in attrs]
                case BuildVariable(args=args):
                    stack.extend(args)
                case Same():
                    pass
    asked = {name for e in expressions for name in literals_asked(e)}
    pairs = zip(rule.parameters, definition.parameters, strict=True)
    return frozenset(theirs.name for ours, theirs in pairs if ours.name in asked)


def _branch(rule: Rule, bound: Bound) -> Branch | None:
    """The branch of which the guard holds, where those of all before it are known not to."""
    for branch in rule.branches:
        holds = evaluate(branch.guard, bound)
        if holds is True:
            return branch
        if holds is not False:
            return None
    return None


def _size(side: Pattern) -> int:
    return 1 + sum(map(_size, side.args)) if isinstance(side, Operation) else int(isinstance(side, Number))


def _kinds(side: Pattern) -> Iterator[Kind]:
    yield side.kind
    if isinstance(side, Operation):
        for operand in side.args:
            yield from _kinds(operand)


def _symbol(side: Operation) -> Symbol:
    return Symbol(side.op, side.attrs, side.kind.type, tuple(a.kind.type for a in side.args))


def _literal(side: Number) -> Symbol:
    value = float.fromhex(side.value) if isinstance(side.value, str) else side.value
    return literal_symbol(value, side.kind.type)


class _View:
    """The classes of a goal as the rule language sees them."""

    def __init__(self, session: Session, classes: Classes, index_width: int) -> None:
        self._members: Final[list[list[Member]]] = [[] for _ in classes.nodes]
        self._kinds: Final[list[Kind | None]] = [None for _ in classes.nodes]
        self._literals: Final[list[Scalar | None]] = [None for _ in classes.nodes]
        self.known: Final[list[Signature]] = []
        for home, nodes in enumerate(classes.nodes):
            for node in nodes:
                self._take(home, node, session.key(node.symbol), index_width)

    def subject(self, declared: Mapping[str, Declaration]) -> ClassSubject:
        """The classes under what a rule file declares."""
        return ClassSubject(self._members, self._kinds, self._literals, declared)

    def _take(self, home: int, node: Node, symbol: Symbol, index_width: int) -> None:
        kind = _kind(symbol.type, index_width)
        self._kinds[home] = self._kinds[home] or kind
        value = literal_of(symbol)
        if value is not None and kind is not None:
            self._literals[home] = value
        operands = tuple(_kind(t, index_width) for t in symbol.operands)
        known = tuple(k for k in operands if k is not None)
        if kind is None or symbol.op in LEAVES or symbol.unknown or len(known) < len(operands):
            return
        member = Member(symbol.op, symbol.attrs, node.args)
        self._members[home].append(member)
        if member.name != symbol.op:
            self.known.append((member, known, kind))


def _kind(type_: ValueType, index_width: int) -> Kind | None:
    if isinstance(type_, IntType | IndexType | FloatType | OpaqueType):
        return kind_of(type_, index_width)
    return None
