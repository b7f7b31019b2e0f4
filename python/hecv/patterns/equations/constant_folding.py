"""Constant folding: operators on literals, as total values; for terms and for the conditions of laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Attributes
from hecv.base.theory import INTEGER, FloatSort, Sort, Variable, is_open, sort_of
from hecv.base.types import IndexType, ScalarType
from hecv.ops import OPERATORS
from hecv.ops.facts.poison_conditions import CHOOSING
from hecv.patterns.equations.equations import Number, Operation, Pattern
from hecv.patterns.equations.equations import Variable as Hole
from hecv.run.evaluation.python_expressions import NAMESPACE, LeftOpen, exact, real, signed, unsigned

Scalar = int | float
Computed = Callable[..., Scalar]


class Folder:
    """Computes operators on literals; each operator is compiled once.

    Literals are as in `hecv.base.value`: the residue for `iN`, the signed value for `index`.
    """

    def __init__(self, index_width: int = 64) -> None:
        self.index_width: Final = index_width
        self._made: dict[tuple[object, ...], Computed | None] = {}

    def fold(
        self, op: str, attrs: Attributes, types: tuple[ScalarType, ...], to: ScalarType, values: tuple[Scalar, ...]
    ) -> Scalar | None:
        """The value of the operator on these literals; None if it has no semantics to compute."""
        key = (op, attrs, types, to)
        if key not in self._made:
            self._made[key] = self._compile(op, attrs, types, to)
        compute = self._made[key]
        try:
            return None if compute is None else compute(*values)
        except LeftOpen:
            return None

    def evaluate(self, pattern: Pattern, values: Mapping[str, Scalar]) -> Scalar | None:
        """The value of a pattern over literals, given the values of its variables; None if it cannot be computed."""
        match pattern:
            case Number(value=value):
                return float.fromhex(value) if isinstance(value, str) else value
            case Hole(name=name):
                return values.get(name)
            case Operation(kind=kind, op=op, args=args, attrs=attrs):
                found = [self.evaluate(a, values) for a in args]
                operands = tuple(v for v in found if v is not None)
                types = tuple(a.kind.type for a in args)
                return self.fold(op, attrs, types, kind.type, operands) if len(operands) == len(args) else None
            case _:
                raise AssertionError(pattern)

    def _compile(self, op: str, attrs: Attributes, types: tuple[ScalarType, ...], to: ScalarType) -> Computed | None:
        operator = OPERATORS.get(op)
        if operator is None or op in CHOOSING or operator.uninterpreted:
            return None

        def sort(type_: ScalarType) -> Sort:
            return INTEGER if operator.exact and isinstance(type_, IndexType) else sort_of(type_, self.index_width)

        names = [f"x{k}" for k in range(len(types))]
        operands = tuple(
            Variable(sort(t), name, proper=True, signed=isinstance(t, IndexType) and sort(t) != INTEGER)
            for t, name in zip(types, names, strict=True)
        )
        try:
            value = operator.outcome(operands, sort(to), attrs).value
            if is_open(value):
                return None
            text = _printer(to, sort(to))(value)
        except (Unsupported, AssertionError):  # the printer asserts that it knows what it prints
            return None
        return eval(f"lambda {', '.join(names)}: {text}", dict(NAMESPACE))


def _printer(type_: ScalarType, sort: Sort) -> Callable[..., str]:
    if isinstance(sort, FloatSort):
        return real
    if sort == INTEGER:
        return exact
    return signed if isinstance(type_, IndexType) else unsigned
