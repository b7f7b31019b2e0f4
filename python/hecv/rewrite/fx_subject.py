"""A torch.fx graph as a subject of patterns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from hecv.patterns.calculus.guard_expressions import same_value
from hecv.patterns.calculus.match_subject import Node, Operator
from hecv.patterns.calculus.operator_names import DECLARATIONS, families
from hecv.patterns.calculus.pattern_ast import Declaration, Value

if TYPE_CHECKING:
    from hecv.torch.fx_graph import FxValues


class FxSubject:
    """The values of a torch.fx graph (`hecv.torch.fx_graph`)."""

    def __init__(self, values: FxValues, declared: Mapping[str, Declaration] = DECLARATIONS) -> None:
        self._values: Final = values.values
        self._uses: Final = values.uses
        self._declared: Final = declared
        self._families: Final[dict[str, frozenset[str]]] = {}

    def nodes(self, value: int) -> tuple[Node, ...]:
        """The operator that makes the value; none for an input."""
        held = self._values[value]
        if held.op is None:
            return ()
        return (Node(Operator(held.op, held.attrs), held.operands, held.result, held.results),)

    def is_literal(self, value: int, literal: int | float | bool) -> bool:
        """Whether the value is a constant argument equal to `literal`, as Python compares numbers."""
        held = self._values[value].literal
        if held is None or isinstance(held, (str, tuple)) or isinstance(held, bool) != isinstance(literal, bool):
            return False
        return same_value(float(held), float(literal)) and held == literal

    def attribute(self, value: int, path: tuple[str, ...]) -> Value | None:
        """An attribute of the value: see `Subject.attribute`."""
        held = self._values[value]
        match path:
            case ("type",):
                return held.type
            case ("elType",):
                return held.element
            case ("shape",) | ("shape", "dims"):
                return held.shape
            case ("rank",) | ("shape", "rank"):
                return None if held.shape is None else len(held.shape)
            case ("shape", position) if position.isdigit():
                shape = held.shape or ()
                known = int(position) < len(shape) and shape[int(position)] >= 0
                return shape[int(position)] if known else None
            case ("value",):
                return held.literal
            case ("op",):
                return held.op
            case ("uses",):
                return self._uses[value]
            case (name,):
                return next((given for key, given in held.attrs if key == name), None)
            case _:
                return None

    def families(self, operator: Operator, arity: int) -> frozenset[str]:
        """The families that an operator belongs to."""
        if operator.name not in self._families:
            self._families[operator.name] = families(operator.name, self._declared)
        return self._families[operator.name]
