"""Traces the body of one decorated function along all of its paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hecv.patterns.calculus.body_paths import Misuse, Path, Trace, explore, once, same
from hecv.patterns.calculus.pattern_ast import Constant, Declaration, Replacement, Sort, Variable
from hecv.patterns.calculus.quantities import described, is_used
from hecv.patterns.tracing.decorators import Body, Handle
from hecv.patterns.tracing.path_lowering import Matched, matched, place, replacement
from hecv.patterns.tracing.traced_values import Applied, Name


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a body on a path: a match, a replacement, or both (for a law)."""

    left: Matched | None
    right: Replacement | None


@dataclass(slots=True)
class Traced:
    """A body with all of its paths, and what they show of its parameters: their sorts, and where they are passed."""

    body: Body
    paths: list[Path[Outcome]]
    sorts: dict[int, Sort] = field(default_factory=dict[int, Sort])
    flows: list[tuple[int, Handle, int]] = field(default_factory=list[tuple[int, Handle, int]])
    calls: list[Handle] = field(default_factory=list[Handle])
    used: dict[str, Declaration] = field(default_factory=dict[str, Declaration])

    def groups(self, side: str) -> Iterator[tuple[Outcome, list[int]]]:
        """Consecutive paths with the same match (or replacement), with their numbers."""
        chosen: list[int] = []
        before: Outcome | None = None
        for number, path in enumerate(self.paths):
            if path.outcome is None:
                continue
            if before is not None and not same(getattr(path.outcome, side), getattr(before, side)):
                yield before, chosen
                chosen = []
            before = path.outcome
            chosen = [*chosen, number]
        if before is not None:
            yield before, chosen


def trace(body: Body, names: Sequence[str], operators: Mapping[str, Declaration]) -> Traced:
    """Every path of a body.

    Raises: whatever the body raises, and Misuse.
    """
    found = Traced(body, [])
    traces: list[Trace] = []

    def start(script: Sequence[bool]) -> Trace:
        traces.append(Trace(body.kind, body.place.file, script, set(names), operators, replacement))
        return traces[-1]

    def run(running: Trace) -> Outcome | None:
        variables_ = [Name(name, None, 0, True) for name in names]
        outcome = _outcome(body, body.function(*variables_), running)
        _note(found, variables_, running)
        return outcome

    paths, failure = explore(start, run)
    found.paths = paths
    if all(path.outcome is None for path in paths):
        raise failure or Misuse("no-pattern", "the rule replaces nothing", "return what a match becomes")
    _require_used(traces)
    return found


def roots(body: Body, names: Sequence[str], operators: Mapping[str, Declaration]) -> tuple[str, ...]:
    """The operators at the roots of a law's sides, as the body returns them on its first path.

    Nothing else of the body is looked at.
    """

    def run(_: Trace) -> tuple[str, ...]:
        sides = body.function(*[Name(name, None, 0, True) for name in names])
        return tuple(side.op_ if isinstance(side, Applied) else "" for side in sides)

    found, failure = once(Trace(body.kind, body.place.file, (), set(names), operators, replacement), run)
    if found is None:
        raise failure or Misuse("no-pattern", "the first path of this law has no sides", "let no assertion fail there")
    return found


def _outcome(body: Body, given: Any, running: Trace) -> Outcome | None:
    match body.kind:
        case "pattern":
            return Outcome(matched(given, running), None)
        case "rule":
            return None if given is None else Outcome(None, replacement(given))
        case "law":
            if not isinstance(given, tuple) or len(given) != 2:
                hint = "return the two sides: `return x * 2, x << 1`"
                many = f" of {len(given)}" if isinstance(given, tuple) else ""
                raise Misuse("no-pattern", f"a law returns a pair, not {described(given)}{many}", hint)
            place(given[0], running.placed)
            right = replacement(given[1])
            left = matched(given[0], running)
            if isinstance(left.root, Constant) or left.root in [Variable(name) for name in body.parameters]:
                hint = "the left side is what is matched: an operator on the variables"
                raise Misuse("no-pattern", "the left side of this law is no operator", hint)
            return Outcome(left, right)


def _note(found: Traced, variables_: Sequence[Name], running: Trace) -> None:
    """What a run shows about the parameters, and the operators it names."""
    found.used |= running.used
    for number, variable in enumerate(variables_):
        if variable.sort_ is not None:
            before = found.sorts.setdefault(number, variable.sort_)
            if before != variable.sort_:
                raise Misuse("wrong-sort", f"'{variable.label_}' is a value on one path and an operator on another")
    for variable, handle, position in running.flows:
        found.calls.append(handle)
        found.flows += [(k, handle, position) for k, own in enumerate(variables_) if own is variable]


def _require_used(traces: Sequence[Trace]) -> None:
    """Raises: Misuse for a local variable or a comparison that no path uses."""
    made = {(local.made_, local.label_) for t in traces for local in t.locals if not local.named_}
    used = {local.made_ for t in traces for local in t.locals if local.named_}
    for line, label in sorted(made):
        if line not in used:
            hint = "use it in the pattern that is returned, or remove it"
            raise Misuse("unbound-variable", f"'{label}' is declared and never bound", hint, line)
    compared = [pair for t in traces for pair in t.compared]
    idle = {line for _, line in compared} - {line for asked, line in compared if is_used(asked)}
    if idle:
        raise Misuse("no-effect", "nothing asks for this comparison", "write it as a guard: assert ...", min(idle))
