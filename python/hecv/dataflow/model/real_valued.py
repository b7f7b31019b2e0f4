"""Terms that are real numbers where floats are read as reals: a quotient, root or logarithm may have no value."""

from __future__ import annotations

from math import isfinite
from typing import Final

from hecv.base.term import Term, literal, postorder
from hecv.base.types import FloatType
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.term_instances import At, Position, Unsettled
from hecv.dataflow.model.value_dataflow import Dataflow
from hecv.program.tree import Constant

TOTAL: Final = frozenset(
    {"arg", "math.absf", "math.fma", "arith.select", "arith.sitofp", "arith.uitofp", "arith.extf", "arith.truncf"}
    | {f"arith.{name}" for name in ("addf", "subf", "mulf", "negf", "maximumf", "minimumf", "maxnumf", "minnumf")}
    | {f"math.{name}" for name in ("exp", "exp2", "expm1", "tanh", "sinh", "cosh", "sin", "cos", "erf", "erfc")}
    | {f"math.{name}" for name in ("floor", "ceil", "trunc", "round", "roundeven", "atan", "cbrt")}
)
"""Operators and leaves that are numbers if all their operands are."""


class Numbers:
    """The arrays of one program that only hold numbers, as far as what is written to them shows it; arguments do, a
    constant does if its contents are known to."""

    def __init__(self, flow: Dataflow) -> None:
        self._flow = flow
        self._arrays: set[str] | None = None

    def term(self, statement: Instances, term: Term) -> bool:
        """Whether a term, and each of its subterms, is a number at every instance of `statement`."""
        if self._arrays is None:
            self._arrays = self._greatest()
        return self._is_number(statement, term, self._arrays)

    def position(self, position: Position) -> bool:
        """Like `term`, for the value of a position, if it is a float."""
        if isinstance(position, At | Unsettled):
            at = position.at if isinstance(position, Unsettled) else position
            return self.term(at.statement, at.term)
        if self._arrays is None:
            self._arrays = self._greatest()
        return position.array in self._arrays

    def _greatest(self) -> set[str]:
        program = self._flow.program
        lacking = {c.memory.id for c in program.function.constants if not _holds_numbers(c)}
        arrays = {name for name, array in program.arrays.items() if array.memory.id not in lacking} - program.mixed()
        written = [(s, s.write.array, s.value) for s in program.statements if s.write is not None]
        while True:
            lost = {a for s, a, value in written if value is None or not self._is_number(s, value, arrays)} & arrays
            if not lost:
                return arrays
            arrays -= lost.union(*(program.overlapping(a) for a in lost))

    def _is_number(self, statement: Instances, term: Term, arrays: set[str]) -> bool:
        return all(_is_total(statement, node, arrays) for node in postorder((term,)))


def _holds_numbers(constant: Constant) -> bool:
    """Whether each element of a constant memory is a number, or no float."""
    if not isinstance(constant.memory.element, FloatType):
        return True
    values = None if constant.contents is None else [*map(literal, constant.contents)]
    return values is not None and all(value is not None and isfinite(value) for value in values)


def _is_total(statement: Instances, node: Term, arrays: set[str]) -> bool:
    """Whether a leaf is a number, or the operator at the root of a term makes one of numbers."""
    if node.op == "load":
        return statement.reads[node].array in arrays
    if not isinstance(node.type, FloatType):
        return True
    value = literal(node)
    if value is not None:
        return isfinite(value)
    return node.op in TOTAL or (node.op == "arith.divf" and (literal(node.args[1]) or 0.0) != 0.0)
