"""The states of the machine (see `hecv.patterns.machine.machine`), and their transitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

from hecv.patterns.calculus.guard_expressions import run, same_value
from hecv.patterns.calculus.match_subject import Node, Operator, Subject
from hecv.patterns.calculus.matches import operator_attribute, operator_key
from hecv.patterns.calculus.pattern_ast import Value
from hecv.patterns.machine.pattern_program import (
    Check,
    Choose,
    Code,
    Inspect,
    Invoke,
    Literal,
    Operate,
    OperateVariable,
    Step,
    Take,
    Test,
    Then,
)

FEW: Final = 8
"""The most answers that are compared one by one."""


class OutOfSteps(Exception):
    """The limit of steps was met."""


class Outcome(Enum):
    """How matching continues."""

    FAIL = auto()
    GO = auto()
    ASK = auto()


FAIL: Final = Outcome.FAIL
GO: Final = Outcome.GO
ASK: Final = Outcome.ASK


class Status(Enum):
    """The status of a run: alternatives are left, it is running, only suspended requests are left, nothing is left."""

    OPEN = auto()
    ACTIVE = auto()
    STALLED = auto()
    DONE = auto()


_Goals = tuple[Step, int, "_Goals"] | None
"""A continuation: what to match with which value, and the rest."""

_Waiting = tuple[Check, "_Waiting"] | None
"""Checks whose variables are not bound yet, the latest first."""

_Retry = Callable[[Any, int, Any, int], Outcome]
"""Continues with an alternative of a step: the one after so many, of a kind that the method knows."""

Answer = tuple[int | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Delayed:
    """A suspended request of `run`, in this state, for the answer of `asked` at `position`."""

    run: Run
    frame: list[int | None]
    goals: _Goals
    waiting: _Waiting
    step: Invoke
    asked: Run
    position: int


@dataclass(slots=True, eq=False)
class Table:
    """All runs over one state of the graph (tabling).

    Values of function variables are numbers in `operators`: an operator with its number of operands.
    """

    subject: Subject
    depth: int
    left: int = 0
    cut: frozenset[str] = frozenset()
    runs: dict[tuple[object, ...], Run] = field(default_factory=dict[tuple[object, ...], "Run"])
    delayed: list[Delayed] = field(default_factory=list[Delayed])
    nested: dict[str, int] = field(default_factory=dict[str, int])
    operators: list[tuple[Operator, int]] = field(default_factory=list[tuple[Operator, int]])
    numbers: dict[object, int] = field(default_factory=dict[object, int])
    nodes: dict[int, tuple[Node, ...]] = field(default_factory=dict[int, tuple[Node, ...]])

    def find(self, code: Code, value: int, args: Answer) -> Run:
        """The run of a definition at a value with these arguments."""
        key = (code.name, value, args)
        found = self.runs.get(key)
        if found is None:
            found = self.runs[key] = Run(self, code, value, args)
        return found

    def enter(self, entered: Run) -> None:
        """Marks a run as active; until it leaves, it counts as nested."""
        entered.status = Status.ACTIVE
        self.nested[entered.code.name] = self.nested.get(entered.code.name, 0) + 1

    def leave(self, left: Run) -> None:
        """Marks a run as inactive."""
        self.nested[left.code.name] -= 1

    def admits(self, code: Code) -> bool:
        """Whether one more run of the definition may be nested; if not, that is recorded."""
        if self.nested.get(code.name, 0) < self.depth:
            return True
        self.cut |= {code.name}
        return False

    def node_list(self, value: int) -> tuple[Node, ...]:
        """The nodes that make the value."""
        found = self.nodes.get(value)
        if found is None:
            found = self.nodes[value] = tuple(self.subject.nodes(value))
        return found

    def number(self, operator: Operator, arity: int) -> int:
        """The number of an operator with so many operands."""
        key = operator_key(operator, arity)
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.operators)
            self.operators.append((operator, arity))
        return found


class Run:
    """The state of a machine for one definition at one value with some arguments bound."""

    __slots__ = (
        "answers",
        "choices",
        "code",
        "delays",
        "frame",
        "goals",
        "request",
        "seen",
        "status",
        "table",
        "trail",
        "waiting",
    )

    def __init__(self, table: Table, code: Code, value: int, args: Answer) -> None:
        self.table: Final = table
        self.code: Final = code
        self.frame: list[int | None] = [*args, *(None,) * (len(code.sorts) - len(args))]
        self.trail: list[int] = []
        self.goals: _Goals = None
        self.waiting: _Waiting = None
        self.choices: list[tuple[int, _Goals, _Waiting, _Retry, Step, int, Any, int]] = [
            (0, None, None, self._begin, code.body, value, None, 0)
        ]
        self.request: tuple[Invoke, int, Run, int] | None = None
        self.answers: list[Answer] = []
        self.seen: set[Answer] | None = None
        self.status = Status.OPEN
        self.delays = 0

    def advance(self) -> Run | None:
        """Runs to the next answer or to the end (None), or until another run has to answer first (that one)."""
        table, left = self.table, self.table.left
        outcome = FAIL if self.request is None else self._receive(*self.request)
        while True:
            left -= 1
            if left < 0:
                raise OutOfSteps
            if outcome is GO:
                if self.goals is not None:
                    step, value, self.goals = self.goals
                    outcome = _HANDLERS[type(step)](self, step, value)
                elif self.waiting is not None:
                    outcome = self._settle()
                elif self._answer():
                    break
                else:
                    outcome = FAIL
            elif outcome is ASK:
                break
            elif self.choices:
                outcome = self._back()
            else:
                self.status = Status.STALLED if self.delays else Status.DONE
                break
        table.left = left
        return None if self.request is None else self.request[2]

    def resume(self, request: Delayed | None) -> None:
        """Resumes a suspended request; None if neither it nor any other will have an answer."""
        self.delays -= 1
        if request is not None:
            self.choices.append((0, None, None, self._thaw, request.step, 0, request, 0))
            self.status = Status.OPEN
        elif not self.delays:
            self.status = Status.DONE

    # The end of a path, and the next one

    def _answer(self) -> bool:
        """Adds what the parameters stand for to the answers, unless it is there already."""
        answer = tuple(self.frame[: len(self.code.parameters)])
        if answer in (self.seen or self.answers):
            return False
        self.answers.append(answer)
        if self.seen:
            self.seen.add(answer)
        elif len(self.answers) > FEW:
            self.seen = set(self.answers)
        self.status = Status.OPEN
        return True

    def _settle(self) -> Outcome:
        """Makes the first of the checks that waited and can be made now. If there is none, guards have to hold whatever
        their unbound variables stand for, and nothing else may be left."""
        waiting: list[Check] = []
        rest = self.waiting
        while rest is not None:
            check, rest = rest
            waiting.append(check)
        waiting.reverse()
        ready = next((check for check in waiting if self._bound(check)), None)
        self.waiting = None
        if ready is None:
            return GO if all(isinstance(check, Test) and self._holds(check) for check in waiting) else FAIL
        for check in waiting:
            if check is not ready:
                self.waiting = (check, self.waiting)
        self.goals = (ready, 0, None)
        return GO

    def _back(self) -> Outcome:
        """Takes the latest alternative; what was bound since is unbound."""
        length, self.goals, self.waiting, retry, step, value, kind, position = self.choices.pop()
        while len(self.trail) > length:
            self.frame[self.trail.pop()] = None
        return retry(step, value, kind, position)

    def _push(self, retry: _Retry, step: Step, value: int, kind: Any, position: int) -> None:
        self.choices.append((len(self.trail), self.goals, self.waiting, retry, step, value, kind, position))

    # Alternatives

    def _begin(self, step: Step, value: int, _kind: None, _position: int) -> Outcome:
        self.goals = (step, value, None)
        return GO

    def _branch(self, step: Step, value: int, branches: list[Step], position: int) -> Outcome:
        if position + 1 < len(branches):
            self._push(self._branch, step, value, branches, position + 1)
        self.goals = (branches[position], value, self.goals)
        return GO

    def _node(self, step: Operate, value: int, nodes: list[Node], position: int) -> Outcome:
        """The operands of a node whose operator fits."""
        if position + 1 < len(nodes):
            self._push(self._node, step, value, nodes, position + 1)
        node = nodes[position]
        args = node.args
        for place, slot in step.takes:
            if not self._bind(slot, args[place]):
                return FAIL
        if isinstance(step, OperateVariable):
            self._bind(step.slot, self.table.number(node.operator, len(args)))
        for place, literal in step.literals:
            if not self.table.subject.is_literal(args[place], literal):
                return FAIL
        for place, part in step.rest:
            self.goals = (part, args[place], self.goals)
        return GO

    def _receive(self, step: Invoke, value: int, asked: Run, position: int) -> Outcome:
        """The answer of another run at a position, or as much as can be done to get it."""
        self.request = None
        if position < len(asked.answers):
            if asked.status is not Status.DONE or position + 1 < len(asked.answers):
                self._push(self._receive, step, value, asked, position + 1)
            pairs = zip(step.slots, asked.answers[position], strict=True)
            return GO if all(bound is None or self._bind(slot, bound) for slot, bound in pairs) else FAIL
        if asked.status is Status.DONE:
            return FAIL
        if asked.status is Status.OPEN:
            if not self.table.admits(asked.code):
                return FAIL
            self.request = (step, value, asked, position)
            return ASK
        self.table.delayed.append(Delayed(self, self.frame.copy(), self.goals, self.waiting, step, asked, position))
        self.delays += 1
        return FAIL

    def _thaw(self, step: Invoke, value: int, request: Delayed, _position: int) -> Outcome:
        self.frame, self.trail = request.frame.copy(), []
        self.goals, self.waiting = request.goals, request.waiting
        return self._receive(step, value, request.asked, request.position)

    # Steps

    def _bind(self, slot: int, value: int) -> bool:
        """The variable stands for the value from now on, if for none or that so far."""
        held = self.frame[slot]
        if held is None:
            self.frame[slot] = value
            self.trail.append(slot)
            return True
        return held == value

    def take(self, step: Take, value: int) -> Outcome:
        return GO if self._bind(step.slot, value) else FAIL

    def literal(self, step: Literal, value: int) -> Outcome:
        return GO if self.table.subject.is_literal(value, step.value) else FAIL

    def operate(self, step: Operate, value: int) -> Outcome:
        nodes = [node for node in self.table.node_list(value) if node.operator.name == step.op and _fits(step, node)]
        return self._node(step, value, nodes, 0) if nodes else FAIL

    def operate_variable(self, step: OperateVariable, value: int) -> Outcome:
        arity, held = len(step.parts), self.frame[step.slot]
        nodes = [node for node in self.table.node_list(value) if node.results == 1 and len(node.args) == arity]
        if held is not None:
            nodes = [node for node in nodes if self.table.number(node.operator, arity) == held]
        return self._node(step, value, nodes, 0) if nodes else FAIL

    def choose(self, step: Choose, value: int) -> Outcome:
        branches = _branches(step, self.table.node_list(value))
        return self._branch(step, value, branches, 0) if branches else FAIL

    def then(self, step: Then, value: int) -> Outcome:
        self.goals = (step.parts[0], value, (step.after, value, self.goals))
        return GO

    def invoke(self, step: Invoke, value: int) -> Outcome:
        heads = step.code.heads
        if heads is not None and not any(n.operator.name in heads for n in self.table.node_list(value)):
            return FAIL
        args = tuple([self.frame[slot] for slot in step.slots])
        return self._receive(step, value, self.table.find(step.code, value, args), 0)

    def check(self, step: Check, _value: int) -> Outcome:
        """A check that only needs a variable to be bound, as a local one; other checks continue from here."""
        if not self._bound(step):
            self.waiting = (step, self.waiting)
            return GO
        if isinstance(step, Test):
            return GO if self._holds(step) else FAIL
        if isinstance(step, Inspect):
            held = self.frame[step.needs[0]]
            assert held is not None
            self.goals = (step.parts[0], held, self.goals)
        return GO

    def _bound(self, check: Check) -> bool:
        return all(self.frame[slot] is not None for slot in check.needs)

    def _holds(self, test: Test) -> bool:
        return run(test.code, _Lookup(self.frame, test, self.table, self.code)) is True


def _fits(step: Operate, node: Node) -> bool:
    """Result, number of operands and attributes are as the step says; others than it says may be any."""
    if node.result != step.result or len(node.args) != len(step.parts):
        return False
    for name, value in step.attrs:
        if not any(name == other and same_value(value, held) for other, held in node.operator.attrs):
            return False
    return True


def _branches(step: Choose, nodes: tuple[Node, ...]) -> list[Step]:
    """The alternates that may match one of the nodes."""
    if len(nodes) != 1:
        names = {node.operator.name for node in nodes}
        return [part for part in step.parts if part.heads is None or not part.heads.isdisjoint(names)]
    name = nodes[0].operator.name
    found = step.by_head.get(name)
    if found is None:
        found = step.by_head[name] = [part for part in step.parts if part.heads is None or name in part.heads]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Lookup:
    """What the variables of a guard stand for so far."""

    frame: list[int | None]
    test: Test
    table: Table
    code: Code

    def attribute(self, variable: str, path: tuple[str, ...]) -> Value | None:
        slot = self.test.slots[variable]
        held = self.frame[slot]
        if held is None:
            return None
        if self.code.sorts[slot] == "term":
            return self.table.subject.attribute(held, path)
        return operator_attribute(self.table.operators[held][0], path)

    def member(self, function: str, family: str) -> bool | None:
        held = self.frame[self.test.slots[function]]
        if held is None:
            return None
        operator, arity = self.table.operators[held]
        return family in self.table.subject.families(operator, arity)


_HANDLERS: Final[dict[type[Step], Callable[[Run, Any, int], Outcome]]] = {
    Take: Run.take,
    Literal: Run.literal,
    Operate: Run.operate,
    OperateVariable: Run.operate_variable,
    Choose: Run.choose,
    Then: Run.then,
    Check: Run.check,
    Test: Run.check,
    Inspect: Run.check,
    Invoke: Run.invoke,
}
