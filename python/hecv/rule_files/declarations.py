"""Traces the declarations of a rule file, and reports what is wrong with them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.patterns.calculus.body_paths import Misuse
from hecv.patterns.calculus.loop_rules import BadShape, LoopRule, traced
from hecv.patterns.calculus.pattern_ast import (
    Declaration,
    Definition,
    Parameter,
    Pattern,
    Place,
    Rule,
    RuleFile,
    Sort,
)
from hecv.patterns.calculus.quantities import suggestion
from hecv.patterns.machine.wellformed import problems
from hecv.patterns.tracing.body_tracing import Traced, trace
from hecv.patterns.tracing.decorators import Body, Entry, Handle, Registry, known_operators
from hecv.patterns.tracing.rule_assembly import alternates, branches_of, either, stated
from hecv.rule_files.error_locations import located


@dataclass(slots=True)
class Collector:
    """The state of the work on one file."""

    registry: Registry
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    traced: dict[str, list[Traced]] = field(default_factory=dict[str, list[Traced]])
    handles: dict[str, Handle] = field(default_factory=dict[str, Handle])
    used: dict[str, Declaration] = field(default_factory=dict[str, Declaration])
    sorts: dict[tuple[str, int], set[Sort]] = field(default_factory=dict[tuple[str, int], set[Sort]])

    def trace(self, body: Body, names: Sequence[str]) -> Traced | None:
        """The traced body, with variables of these names as parameters; None if it is wrong."""
        try:
            found = trace(body, names, known_operators(self.registry))
        except Exception as problem:
            self.diagnostics.append(located(problem, body))
            return None
        self.used |= found.used
        return found

    def guard(self, problem: Misuse, place: Place) -> None:
        """Records a problem of a declaration."""
        where = Location(place.file, problem.line or place.line, 1)
        self.diagnostics.append(Diagnostic("error", problem.name, problem.message, where, problem.help))


def collect(registry: Registry, taken: Container[str] = ()) -> RuleFile:
    """The declarations of a rule file; `taken` are the names of the laws of the book.

    Raises: InputError with all problems of the file.
    """
    work = Collector(registry)
    _trace_patterns(work, [*registry.patterns.values()])
    laws = {
        e.name: t for e in registry.entries if e.body.kind == "law" and (t := work.trace(e.body, e.body.parameters))
    }
    _trace_patterns(work, [h for t in laws.values() for h in t.calls])
    chosen = {id(e): h for e in registry.entries if e.body.kind == "rule" and (h := _target(work, e))}
    _trace_patterns(work, [*chosen.values()])
    _require_names(work, taken)
    _infer_sorts(work, laws)
    definitions = {name: d for name, handle in work.handles.items() if (d := _definition(work, handle))}
    rules: list[Rule] = []
    for entry in registry.entries:
        if entry.name in laws and entry.body.kind == "law":
            _add_law(work, entry, laws[entry.name], definitions, rules)
        elif id(entry) in chosen:
            rules += _rule(work, entry, chosen[id(entry)])
    loops = tuple(found for entry in registry.loops if (found := _loop_rule(work, entry)))
    _finish(work, definitions, rules)
    operators = registry.operators | {n: d for n, d in work.used.items() if n not in registry.operators}
    return RuleFile(registry.file, operators, definitions, _in_order(rules, definitions, registry.file), loops)


def _in_order(rules: Sequence[Rule], definitions: Mapping[str, Definition], file: str) -> tuple[Rule, ...]:
    """Rules as they are tried: in the order of their patterns in the file, and of one pattern in their own. A pattern
    of another file stands where its first rule does."""
    lines: dict[str, int] = {}
    for rule in rules:
        of = definitions[rule.pattern].place
        place = of if of is not None and of.file == file else rule.place
        lines.setdefault(rule.pattern, 0 if place is None else place.line)
    return tuple(sorted(rules, key=lambda rule: lines[rule.pattern]))


def _finish(work: Collector, definitions: Mapping[str, Definition], rules: Sequence[Rule]) -> None:
    """Raises: InputError with what is wrong, by line."""
    if not work.diagnostics:
        places = {r.name: r.place for r in rules} | {d.name: d.place for d in definitions.values()}
        for problem in problems(definitions, rules):
            place = places.get(problem.definition) or Place(work.registry.file, 1)
            work.guard(Misuse(problem.kind, problem.text, PROBLEM_HELP.get(problem.kind)), place)
    if work.diagnostics:
        raise InputError(*sorted(work.diagnostics, key=lambda d: (d.location is not None, d.location)))


PROBLEM_HELP: Final = {
    "left-recursion": "let it match an operator before it calls itself",
    "no-base-case": "add an alternate that does not call it: a function of the same name",
    "function-arity": "one variable stands for operators with one number of operands",
    "wrong-sort": "a variable that is called stands for an operator, any other for a value",
}


# Patterns


def _trace_patterns(work: Collector, waiting: list[Handle]) -> None:
    """These patterns and those that they call, of other files too."""
    while waiting:
        handle = waiting.pop(0)
        before = work.handles.setdefault(handle.name, handle)
        if before is not handle:
            hint = "give one of them another name"
            problem = Misuse("name-taken", f"there are patterns '{handle.name}' in {handle.registry.file}, too", hint)
            work.guard(problem, before.bodies[0].place)
        if handle.name in work.traced:
            continue
        found = [t for body in handle.bodies if (t := work.trace(body, handle.parameters))]
        work.traced[handle.name] = found
        waiting += [callee for t in found for callee in t.calls]


def _infer_sorts(work: Collector, laws: Mapping[str, Traced]) -> None:
    """A parameter has the sort of its uses, and of the parameters that it is passed for."""
    bodies = [(name, t) for name, found in work.traced.items() for t in found] + [*laws.items()]
    for name, found in bodies:
        for number, sort in found.sorts.items():
            work.sorts.setdefault((name, number), set()).add(sort)
    changed = True
    while changed:
        changed = False
        for name, found in bodies:
            for number, callee, position in found.flows:
                own = work.sorts.setdefault((name, number), set())
                passed = work.sorts.get((callee.name, position), set())
                changed |= not passed <= own
                own |= passed


def _parameters(work: Collector, name: str, names: Sequence[str]) -> tuple[Parameter, ...]:
    """Raises: Misuse where a parameter is of two sorts."""
    found: list[Parameter] = []
    for number, label in enumerate(names):
        sorts = work.sorts.get((name, number), set())
        if len(sorts) > 1:
            hint = "a variable that is called, or is `in` a family, stands for an operator"
            raise Misuse("wrong-sort", f"'{label}' is both a value and an operator", hint)
        found.append(Parameter(label, "function" if "function" in sorts else "term"))
    return tuple(found)


def _definition(work: Collector, handle: Handle) -> Definition | None:
    """The pattern with all its alternates."""
    found = work.traced[handle.name]
    patterns: list[Pattern] = []
    for one in found:
        try:
            patterns += alternates(one, handle.parameters, ())
        except Misuse as problem:
            work.guard(problem, one.body.place)
    try:
        parameters = _parameters(work, handle.name, handle.parameters)
    except Misuse as problem:
        work.guard(problem, handle.bodies[0].place)
        return None
    if not patterns:
        return None
    return Definition(handle.name, parameters, either(patterns), handle.bodies[0].place)


# Rules


def _target(work: Collector, entry: Entry) -> Handle | None:
    """The pattern that a rule is for."""
    target = entry.pattern
    if isinstance(target, Handle):
        return target
    assert target is not None
    found = work.registry.patterns.get(target)
    if found is None:
        hint = suggestion(target, [*work.registry.patterns])
        work.guard(Misuse("unknown-pattern", f"there is no pattern '{target}'", hint), entry.body.place)
    return found


def _rule(work: Collector, entry: Entry, handle: Handle) -> list[Rule]:
    """The rule, or nothing where it is wrong."""
    expected = handle.parameters
    if len(entry.body.parameters) != len(expected):
        hint = f"the pattern is {handle.name}({', '.join(expected)})"
        count = len(entry.body.parameters)
        problem = Misuse("wrong-arity", f"parameters: {len(expected)} of the pattern, {count} of the rule", hint)
        work.guard(problem, entry.body.place)
        return []
    found = work.trace(entry.body, entry.body.parameters)
    if found is None:
        return []
    try:
        there = _parameters(work, handle.name, expected)
        parameters = [Parameter(n, p.sort) for n, p in zip(entry.body.parameters, there, strict=True)]
        _require_sorts(found, parameters)
    except Misuse as problem:
        work.guard(problem, entry.body.place)
        return []
    return [Rule(entry.name, handle.name, tuple(parameters), branches_of(found), entry.body.place)]


def _require_sorts(found: Traced, parameters: Sequence[Parameter]) -> None:
    for number, sort in found.sorts.items():
        if parameters[number].sort != sort:
            there = "an operator" if parameters[number].sort == "function" else "a value"
            hint = "call it: f(x)" if sort == "term" else "it cannot be called"
            raise Misuse("wrong-sort", f"'{parameters[number].name}' is {there} in the pattern", hint)


def _add_law(
    work: Collector, entry: Entry, found: Traced, definitions: dict[str, Definition], rules: list[Rule]
) -> None:
    """A law is a definition and a rule of one name."""
    try:
        own = _parameters(work, entry.name, entry.body.parameters)
        definition, rule = stated(entry.name, found, own)
    except Misuse as problem:
        work.guard(problem, entry.body.place)
        return
    definitions[entry.name] = definition
    rules.append(rule)


def _loop_rule(work: Collector, entry: Entry) -> LoopRule | None:
    """The loop rule, or nothing where it is wrong."""
    place = entry.body.place
    try:
        return traced(entry.body.function, entry.name, str(place))
    except BadShape as problem:
        work.guard(Misuse(problem.name, problem.text, problem.hint), place)
    except Exception as problem:
        work.diagnostics.append(located(problem, entry.body))
    return None


def _require_names(work: Collector, there: Container[str]) -> None:
    """Every rule and law has a name of its own."""
    taken: set[str] = set()
    for entry in (*work.registry.entries, *work.registry.loops):
        name = entry.name
        if name in taken:
            problem = Misuse("name-taken", f"there are several rules '{name}'", "verdicts name rules: rename one")
        elif name in there:
            problem = Misuse(
                "name-taken", f"'{name}' is a law of hecv", f"see `hecv rules {name}`, and rename this one"
            )
        elif entry.body.kind == "law" and name in work.handles:
            problem = Misuse("name-taken", f"'{name}' is a pattern, too", "rename one of them")
        else:
            taken.add(name)
            continue
        work.guard(problem, entry.body.place)
