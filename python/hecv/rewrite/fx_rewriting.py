"""Rewrites torch.fx graphs by rule files, greedily and to a fixpoint (PYPM, section 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic
from hecv.patterns.calculus.guard_expressions import evaluate, holds
from hecv.patterns.calculus.matches import Bound, Match
from hecv.patterns.calculus.operator_names import DECLARATIONS
from hecv.patterns.calculus.pattern_ast import (
    Branch,
    Build,
    BuildVariable,
    Computed,
    Replacement,
    Rule,
    RuleFile,
    Same,
    Value,
)
from hecv.patterns.machine.machine import DEPTH, Search
from hecv.patterns.machine.pattern_program import compiled
from hecv.rewrite.fx_subject import FxSubject
from hecv.rewrite.rewrite_limits import cuts

if TYPE_CHECKING:
    from torch import fx

    from hecv.torch.fx_edits import Editor, Implementations
    from hecv.torch.fx_graph import FxValues

LIMIT: Final = 10_000


class Refused(Exception):
    """A replacement that cannot be built; the text says why."""


class Rewritten(Struct, frozen=True):
    """How often each rule fired, and why rewriting stopped before a fixpoint, if it did. `notes` list searches that met
    a limit, so that matches may be missing."""

    uses: Mapping[str, int]
    stopped: str | None = None
    notes: tuple[Diagnostic, ...] = ()


class Found(Struct, frozen=True):
    """A match of a pattern at `root`; `inner` are the values between the root and the values of its variables."""

    pattern: str
    root: int
    match: Match
    inner: tuple[int, ...]


def rewrite(
    module: fx.GraphModule,
    rules: RuleFile,
    implementations: Implementations | None = None,
    limit: int = LIMIT,
    depth: int = DEPTH,
) -> Rewritten:
    """Rewrites the graph of `module` in place: at each node the patterns in file order, the first match, the first rule
    and branch whose guard holds.

    Operators that the rule file declares are calls of `implementations`. Values with other users stay. A match is left
    alone if it crosses something that writes to memory or draws random numbers; also if it is before a write and what
    is replaced, or what replaces it, may share memory with another value. At most `limit` rewrites; recursive patterns
    are matched to `depth`.

    Raises: Refused if a replacement names an operator that neither torch nor `implementations` has.
    """
    # torch takes seconds to import, and only who has a graph needs it.
    from hecv.torch.fx_edits import Editor, Unknown
    from hecv.torch.fx_graph import read

    program, by_pattern = compiled(rules.definitions), _by_pattern(rules.rules)
    uses: Counter[str] = Counter()
    notes: dict[Diagnostic, None] = {}
    try:
        while True:
            values = read(module.graph)
            editor = Editor(module, values, implementations or {})
            search = Search(program, FxSubject(values, {**DECLARATIONS, **rules.operators}), depth, frozen=True)
            fired = _Pass(values, rules, search, by_pattern, editor).run(limit - uses.total())
            uses.update(fired)
            notes |= dict.fromkeys(cuts(search))
            if not fired:
                return Rewritten(dict(uses), None, tuple(notes))
            if uses.total() >= limit:
                return Rewritten(dict(uses), f"{limit} rewrites, the last by rule '{fired[-1]}'", tuple(notes))
    except Unknown as problem:
        raise Refused(str(problem)) from problem
    finally:
        module.graph.lint()
        module.recompile()


def find(values: FxValues, rules: RuleFile, patterns: Sequence[str]) -> Iterator[Found]:
    """The first match of each of `patterns` at each value, in graph order."""
    subject = FxSubject(values, {**DECLARATIONS, **rules.operators})
    search = Search(rules.definitions, subject, frozen=True)
    for root in range(len(values.values)):
        for name in patterns:
            match = search.first(name, root)
            if match is not None:
                yield Found(name, root, match, inner_values(values, root, match))


def inner_values(values: FxValues, root: int, match: Match) -> tuple[int, ...]:
    """The values that compute `root` from what the match binds, `root` first."""
    ends, seen, stack = set(match.terms.values()), dict.fromkeys([root]), [root]
    while stack:
        for operand in values.values[stack.pop()].operands:
            if operand not in ends and operand not in seen:
                seen[operand] = None
                stack.append(operand)
    return tuple(seen)


def _by_pattern(rules: Sequence[Rule]) -> dict[str, list[Rule]]:
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.pattern, []).append(rule)
    return found


class _Pass:
    """One walk over a graph as it was when the walk began; matches that a rewrite of this walk has touched wait."""

    def __init__(
        self,
        values: FxValues,
        rules: RuleFile,
        search: Search,
        by_pattern: Mapping[str, Sequence[Rule]],
        editor: Editor,
    ) -> None:
        self._values, self._rules, self._editor = values, rules, editor
        self._by_pattern: Final = by_pattern
        self._search: Final = search
        self._touched: Final[set[int]] = set()

    def run(self, limit: int) -> list[str]:
        """The names of the rules that fired, in order."""
        fired: list[str] = []
        for root in range(len(self._values.values)):
            name = self._at(root) if len(fired) < limit else None
            if name is not None:
                fired.append(name)
        self._editor.erase_unused(sorted(self._touched))
        return fired

    def _at(self, root: int) -> str | None:
        """The rule that rewrote the value, if one did."""
        for pattern, rules in self._by_pattern.items():
            match = self._search.first(pattern, root)
            chosen = None if match is None else self._choose(rules, match)
            if match is None or chosen is None:
                continue
            rule, branch, bound = chosen
            inner = inner_values(self._values, root, match)
            return rule.name if self._replace(root, inner, branch, bound) else None
        return None

    def _choose(self, rules: Sequence[Rule], match: Match) -> tuple[Rule, Branch, Bound] | None:
        """The first rule and branch whose guard is known to hold."""
        for rule in rules:
            bound = Bound(self._renamed(rule, match), self._search.subject)
            for branch in rule.branches:
                if holds(branch.guard, bound):
                    return rule, branch, bound
        return None

    def _renamed(self, rule: Rule, match: Match) -> Match:
        """The match by the rule's own names for the parameters of its pattern."""
        of = self._rules.definitions[rule.pattern].parameters
        names = {old.name: new.name for old, new in zip(of, rule.parameters, strict=True)}
        return Match(
            {names[k]: v for k, v in match.terms.items() if k in names},
            {names[k]: v for k, v in match.functions.items() if k in names},
            {names[k]: v for k, v in match.arities.items() if k in names},
        )

    def _replace(self, root: int, inner: tuple[int, ...], branch: Branch, bound: Bound) -> bool:
        """Whether the value was replaced."""
        ends = [v for v in bound.match.terms.values() if self._editor.node(v) is not None]
        node = self._editor.node(root)
        touched = self._touched.intersection((*inner, *ends))
        if node is None or touched or self._editor.moves_across_effects(inner, root):
            return False
        if self._editor.shares_what_is_written(node, _operator(branch.replacement, bound)):
            return False
        made = _Maker(self._editor, bound, node).make(branch.replacement)
        if made is node:
            return False
        self._editor.replace(node, made)
        self._touched.update(inner)
        return True


def _operator(replacement: Replacement, bound: Bound) -> str | None:
    """The operator that makes the replacement, None where that is a value of the match or a constant."""
    match replacement:
        case Build(op=op):
            return op
        case BuildVariable(function=function):
            return bound.match.functions[function].name
        case _:
            return None


class _Maker:
    """Makes the nodes of one replacement; equal parts are made once."""

    def __init__(self, editor: Editor, bound: Bound, before: Any) -> None:
        self._editor, self._bound, self._before = editor, bound, before
        self._made: dict[Replacement, Any] = {}

    def make(self, replacement: Replacement) -> Any:
        """The node, or the constant, of the replacement."""
        if replacement not in self._made:
            self._made[replacement] = self._make(replacement)
        return self._made[replacement]

    def _make(self, replacement: Replacement) -> Any:
        match replacement:
            case Same(variable):
                return self._editor.argument(self._bound.match.terms[variable])
            case Computed(value=expression):
                return _listed(self._known(expression))
            case Build(op=op, args=args, attrs=attrs):
                given = [(name, self._known(expression)) for name, expression in attrs]
                return self._editor.call(op, [self.make(a) for a in args], given, self._before)
            case BuildVariable(function=function, args=args):
                operator = self._bound.match.functions[function]
                return self._editor.call(operator.name, [self.make(a) for a in args], operator.attrs, self._before)

    def _known(self, expression: Any) -> Value:
        value = evaluate(expression, self._bound)
        if value is None:
            raise Refused(f"{expression} is not known of what matched")
        return value


def _listed(value: Value) -> Any:
    """A value as torch takes it: lists, not tuples."""
    return [_listed(v) for v in value] if isinstance(value, tuple) else value
