"""A rewrite rule over ops of graphs of tensors: two sides over common variables, and the conditions on these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from keyword import iskeyword
from typing import Any, Final, Literal

from msgspec import Struct

from hecv.tensors.graph_values import operands_of
from hecv.tensors.tensor_graph import Node, Operand, Ref, TensorType

Kind = Literal["layout", "fusion", "algebraic"]

NAMES: Final = ("x", "y", "z", "u", "v", "w")


class RuleVariable(Struct, frozen=True):
    """A tensor that a rule holds for all values of, under its conditions: `integers` (both bounds included), `whole`,
    `boolean`, `finite`, and `values`, a text for a constant of a model."""

    name: str
    type: TensorType
    conditions: tuple[tuple[str, Any], ...] = ()


class Step(Struct, frozen=True):
    """A result of an op on variables and earlier results. `moves`: it only moves elements."""

    name: str
    op: str
    operands: tuple[Operand, ...]
    keywords: tuple[tuple[str, Operand], ...]
    types: tuple[TensorType, ...]
    result: int = 0
    moves: bool = False

    @property
    def node(self) -> Node:
        """The op as a node of a graph."""
        results = tuple(self.name if k == self.result else f"{self.name}.{k}" for k in range(len(self.types)))
        return Node(self.op, self.operands, dict(self.keywords), results, self.types)


class SynthesisedRule(Struct, frozen=True, dict=True):
    """`left` and `right` are names of steps or variables: the left side has all variables, if one has. Names are given
    in the order of first use, so that rules that differ in names alone are equal."""

    variables: tuple[RuleVariable, ...]
    steps: tuple[Step, ...]
    left: str
    right: str

    @cached_property
    def statement(self) -> str:
        """The body of the rule, as Python: conditions, steps, both sides."""
        lines = [f"assert {' and '.join(_conditions(v))}" for v in self.variables]
        lines += [f'{s.name}: "{", ".join(map(str, s.types))}" = {_call(s)}' for s in self.steps]
        return "\n".join([*lines, f"return {self.left}, {self.right}"])

    @cached_property
    def key(self) -> str:
        """A digest of the statement."""
        return sha256(self.statement.encode()).hexdigest()[:8]

    @cached_property
    def name(self) -> str:
        """The ops that compute on both sides, and the key."""
        sides = (self._computing(side) for side in (self.left, self.right))
        parts = ["-".join([_plain_name(s.op) for s in list(side)[-2:]]) or "moved" for side in sides]
        return "-".join([*dict.fromkeys(parts), self.key]).replace("_", "-")

    @cached_property
    def kind(self) -> Kind:
        """Layout if both sides compute with the same ops, fusion if one does with a single one, else algebraic."""
        left, right = (Counter(_computation(s) for s in self._computing(side)) for side in (self.left, self.right))
        if left == right:
            return "layout"
        return "fusion" if 1 in (left.total(), right.total()) else "algebraic"

    @property
    def is_rewrite(self) -> bool:
        """Whether the left side has all variables. If not, each side has a constant of its model."""
        above = self._above(self.left)
        return all(v.name in above for v in self.variables)

    @property
    def operators(self) -> Mapping[str, tuple[str, tuple[str, ...]]]:
        """For each function that the statement calls, its op and the keywords of this rule."""
        return {function_of(s.op): (s.op, tuple(dict(_keywords(s)))) for s in self.steps}

    def _computing(self, side: str) -> Iterator[Step]:
        needed = self._above(side)
        return (s for s in self.steps if s.name in needed and not s.moves)

    def _above(self, side: str) -> set[str]:
        needed = {side}
        for step in reversed(self.steps):
            if step.name in needed:
                needed.update(operands_of(step.node))
        return needed


def _computation(step: Step) -> tuple[str, tuple[Operand, ...]]:
    return step.op, tuple(o for o in step.operands if isinstance(o, float))


def variable_name(number: int) -> str:
    return NAMES[number] if number < len(NAMES) else f"x{number}"


# Text


def function_of(op: str) -> str:
    """The function that stands for an op: `linear` for `aten.linear.default`, `mul_Tensor` for `aten.mul.Tensor`,
    `my__kernel` for `my.kernel.default`."""
    short = op.removesuffix(".default")
    name = short[5:].replace(".", "_") if short.startswith("aten.") else re.sub(r"\W", "__", short)
    return f"{name}_" if iskeyword(name) or not name.isidentifier() else name


def _plain_name(op: str) -> str:
    return function_of(op).split("_Tensor")[0].split("_Scalar")[0].strip("_").lower()


def _conditions(variable: RuleVariable) -> Iterator[str]:
    yield f"{variable.name}.shape == {variable.type.shape!r}"
    yield f'{variable.name}.elType == "{variable.type.element}"'
    for name, value in variable.conditions:
        yield f"{variable.name}.{name} == {value!r}"


def _keywords(step: Step) -> tuple[tuple[str, Operand], ...]:
    return (*step.keywords, ("result", step.result)) if step.result else step.keywords


def _call(step: Step) -> str:
    operands = [*map(_text, step.operands), *(f"{key}={_text(value)}" for key, value in _keywords(step))]
    return f"{function_of(step.op)}({', '.join(operands)})"


def _text(operand: Operand) -> str:
    match operand:
        case Ref(name=name):
            return name
        case tuple():
            return f"({', '.join(map(_text, operand))}{',' if len(operand) == 1 else ''})"
        case float() if operand != operand or operand in (float("inf"), float("-inf")):
            return f'float("{operand}")'
        case _:
            return repr(operand)


# Making rules


class RuleBuilder:
    """Makes a rule step by step; equal steps are one."""

    def __init__(self) -> None:
        self._variables: Final[dict[str, RuleVariable]] = {}
        self._steps: Final[dict[Any, Step]] = {}

    def __len__(self) -> int:
        return len(self._steps)

    def variable(self, key: str, kind: TensorType, conditions: tuple[tuple[str, Any], ...] = ()) -> Ref:
        """The variable for the tensor of this key."""
        if key not in self._variables:
            name = variable_name(len(self._variables))
            self._variables[key] = RuleVariable(name, kind, conditions)
        return Ref(self._variables[key].name)

    def step(
        self,
        op: str,
        operands: Sequence[Operand],
        keywords: Mapping[str, Operand],
        types: tuple[TensorType, ...],
        result: int = 0,
        moves: bool = True,
    ) -> Ref:
        """The result of an op."""
        name = f"t{len(self._steps) + 1}"
        made = Step(name, op, tuple(operands), tuple(keywords.items()), types, result, moves)
        key = op, _typed(made.operands), _typed(made.keywords), types, result
        return Ref(self._steps.setdefault(key, made).name)

    def rule(self, left: Ref, right: Ref) -> SynthesisedRule:
        """The rule that these are equal, with the steps that they need."""
        parts = tuple(self._variables.values()), tuple(self._steps.values())
        rule, turned = SynthesisedRule(*parts, left.name, right.name), SynthesisedRule(*parts, right.name, left.name)
        return turned if turned.is_rewrite and not rule.is_rewrite else rule


def _typed(operand: Any) -> Any:
    """An operand by what it is: 1, 1.0 and True are three."""
    if isinstance(operand, tuple):
        return tuple(map(_typed, operand))
    return operand if isinstance(operand, Ref) else (type(operand).__name__, repr(operand))


def with_operands(operand: Operand, named: Mapping[str, Operand]) -> Operand:
    """An operand with these in the place of its values."""
    if isinstance(operand, Ref):
        return named[operand.name]
    return tuple(with_operands(o, named) for o in operand) if isinstance(operand, tuple) else operand
