"""The variables that every success of a definition binds: the greatest fixpoint, as only finite derivations succeed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hecv.patterns.machine.pattern_program import (
    Check,
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

Slots = frozenset[int]


@dataclass(frozen=True, slots=True)
class _Effect:
    """What a match of a pattern binds.

    `later` are slots that are bound too, once the slot before them is; `owed` are local variables that have to be bound
    in the end.
    """

    bound: Slots = frozenset()
    later: tuple[tuple[int, Slots], ...] = ()
    owed: Slots = frozenset()

    def closed(self) -> Slots:
        """The slots that are bound in the end."""
        bound, size = self.bound, -1
        while len(bound) > size:
            size = len(bound)
            bound = bound.union(*(slots for first, slots in self.later if first in bound))
        return bound


Unbound = tuple[Code, int, bool]
"""A slot of a definition that may stay unbound, and whether it is a local variable."""


def unbound(program: Program) -> list[Unbound]:
    """The parameters and local variables that a success may leave unbound."""
    sure = binds(program)
    found: list[Unbound] = []
    for name, code in program.codes.items():
        whole, missed = _body(code, sure)
        open_ = [slot for slot in range(len(code.parameters)) if slot not in sure[name]]
        found += [(code, slot, False) for slot in open_ if code.sorts[slot] != "type"]
        local = sorted(missed | whole.owed - whole.closed())
        found += [(code, slot, True) for slot in local if code.sorts[slot] != "type"]
    return found


def binds(program: Program) -> Mapping[str, Slots]:
    """For each definition, the parameters that every success binds, by position."""
    sure = {name: frozenset(range(len(code.parameters))) for name, code in program.codes.items()}
    changed = True
    while changed:
        changed = False
        for name, code in program.codes.items():
            after = sure[name] & _body(code, sure)[0].closed()
            changed = changed or after != sure[name]
            sure[name] = after
    return sure


def _body(code: Code, sure: Mapping[str, Slots]) -> tuple[_Effect, Slots]:
    """The effect of a definition's body, and local variables that some alternate leaves unbound."""
    effects: dict[int, _Effect] = {}
    missed: Slots = frozenset()
    for step in reversed(code.steps):
        if isinstance(step, Choose):
            branches = [effects[id(part)] for part in step.parts]
            missed = missed.union(*(branch.owed - branch.closed() for branch in branches))
        effects[id(step)] = _effect(step, effects, sure)
    return effects[id(code.body)], missed


def _effect(step: Step, effects: Mapping[int, _Effect], sure: Mapping[str, Slots]) -> _Effect:
    match step:
        case Take(slot=slot):
            return _Effect(frozenset((slot,)))
        case OperateVariable(slot=slot, parts=parts):
            return _joined([_Effect(frozenset((slot,))), *(effects[id(part)] for part in parts)])
        case Operate(parts=parts):
            return _joined([effects[id(part)] for part in parts])
        case Choose(parts=parts):
            closed = [effects[id(part)].closed() for part in parts]
            return _Effect(closed[0].intersection(*closed[1:]))
        case Then(parts=[first], after=Inspect(needs=(slot,), parts=[other])):
            inner = effects[id(other)]
            waiting = _Effect(frozenset(), ((slot, inner.bound), *inner.later), inner.owed)
            return _joined([effects[id(first)], waiting])
        case Then(parts=[first], after=after):
            owed = frozenset(after.needs) if type(after) is Check else frozenset[int]()
            return _joined([effects[id(first)], _Effect(owed=owed)])
        case Invoke(name=name, slots=slots):
            return _Effect(frozenset(slots[position] for position in sure[name]))
        case _:
            return _Effect()


def _joined(effects: Iterable[_Effect]) -> _Effect:
    """All of them, one after the other."""
    held = list(effects)
    return _Effect(
        frozenset[int]().union(*(e.bound for e in held)),
        tuple(pair for e in held for pair in e.later),
        frozenset[int]().union(*(e.owed for e in held)),
    )
