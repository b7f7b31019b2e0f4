"""Recursion checks: recursion that consumes nothing, recursion without end, and function variables of definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hecv.patterns.machine.pattern_program import (
    Choose,
    Code,
    Inspect,
    Invoke,
    Operate,
    OperateVariable,
    Program,
    Step,
    Take,
    Then,
)

# Left recursion


def left_recursive(program: Program) -> list[str]:
    """The left-recursive definitions: those that may call themselves at the value at which they began."""
    same: dict[str, set[int]] = {name: set() for name in program.codes}
    calls: dict[str, set[str]] = {}
    before = -1
    while before < sum(map(len, same.values())):
        before = sum(map(len, same.values()))
        for name, code in program.codes.items():
            calls[name], same[name] = _at_root(code, same)
    return [name for name in program.codes if name in _reached(name, calls)]


def _at_root(code: Code, same: Mapping[str, set[int]]) -> tuple[set[str], set[int]]:
    """The definitions that are called at the body's own value, and the parameters that may hold it."""
    found: set[str] = set()
    slots: set[int] = set()
    constraints: list[tuple[int, Step]] = []
    todo = [code.body]
    while todo:
        step = todo.pop()
        match step:
            case Take(slot=slot):
                slots.add(slot)
            case Choose(parts=parts):
                todo += parts
            case Then(parts=parts, after=after):
                todo += parts
                if isinstance(after, Inspect):
                    constraints.append((after.needs[0], after.parts[0]))
            case Invoke(name=name, slots=given):
                found.add(name)
                slots |= {given[position] for position in same[name]}
            case _:
                pass
        if not todo:
            todo = [part for slot, part in constraints if slot in slots]
            constraints = [(slot, part) for slot, part in constraints if slot not in slots]
    return found, {slot for slot in slots if slot < len(code.parameters)}


def _reached(name: str, calls: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = list(calls[name])
    while todo:
        called = todo.pop()
        if called not in found:
            found.add(called)
            todo += calls[called]
    return found


# Recursion without end


def endless(program: Program) -> list[str]:
    """The definitions that no finite value matches, by a least fixpoint."""
    finite: set[str] = set()
    before = -1
    while before < len(finite):
        before = len(finite)
        finite |= {name for name, code in program.codes.items() if _ends(code, finite)}
    return [name for name in program.codes if name not in finite]


def _ends(code: Code, finite: set[str]) -> bool:
    """The body matches something if the definitions in `finite` do, and no others."""
    ends: dict[int, bool] = {}
    for step in reversed(code.steps):
        match step:
            case Operate(parts=parts):
                ends[id(step)] = all(ends[id(part)] for part in parts)
            case Choose(parts=parts):
                ends[id(step)] = any(ends[id(part)] for part in parts)
            case Then(parts=parts, after=Inspect(parts=others)):
                ends[id(step)] = all(ends[id(part)] for part in (*parts, *others))
            case Then(parts=[part]):
                ends[id(step)] = ends[id(part)]
            case Invoke(name=name):
                ends[id(step)] = name in finite
            case _:
                ends[id(step)] = True
    return ends[id(code.body)]


# Function variables


def arities(program: Program) -> Mapping[str, Mapping[str, frozenset[int]]]:
    """For each definition and function variable, how many operands it is applied to, also in called definitions."""
    found = {name: [frozenset[int]() for _ in code.sorts] for name, code in program.codes.items()}
    changed = True
    while changed:
        changed = False
        for name, code in program.codes.items():
            for slot, counts in _uses(code, found):
                changed = changed or not counts <= found[name][slot]
                found[name][slot] |= counts
    return {
        name: {code.names[slot]: found[name][slot] for slot, sort in enumerate(code.sorts) if sort == "function"}
        for name, code in program.codes.items()
    }


def _uses(code: Code, found: Mapping[str, list[frozenset[int]]]) -> Iterator[tuple[int, frozenset[int]]]:
    for step in code.steps:
        match step:
            case OperateVariable(slot=slot, parts=parts):
                yield slot, frozenset((len(parts),))
            case Invoke(name=name, slots=slots):
                for position, slot in enumerate(slots):
                    yield slot, found[name][position]
            case _:
                pass
