"""The order in which the operands of two commutative operators are compared: the likelier matching first."""

from __future__ import annotations

from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IndexType
from hecv.base.value import Scalar
from hecv.dataflow.model.instance_values import Evaluate
from hecv.dataflow.model.value_dataflow import Dataflow
from hecv.ops import OPERATORS
from hecv.program.tree import MemoryKind


class Orders:
    """The orders in which the operands of a commutative operator may match, the likeliest first.

    Operands are matched by what they are made of: constants, arguments, arrays that neither program writes (an array
    that is written may hold anything). If a program shows which NaN a float is (`to_the_bit`), no operator on floats
    commutes: of two NaNs it may return the first.
    """

    def __init__(self, source: Dataflow, target: Dataflow, to_the_bit: bool, evaluate: Evaluate | None = None) -> None:
        """`evaluate` computes operators on literals: a term of literals alone is a constant."""
        self._to_the_bit = to_the_bit
        self._evaluate = evaluate
        self._constants: dict[int, Scalar] = {}
        flows = (source, target)
        self._written = {s.write.array for f in flows for s in f.program.statements if s.write is not None}
        arrays = [a for f in flows for a in f.program.arrays.values() if a.memory.kind is MemoryKind.ARGUMENT]
        self._names = {a.memory.id: a.name for a in arrays if a.name not in self._written}
        self._signs: dict[int, int] = {}
        self._numbers: dict[tuple[object, ...], int] = {}

    def commutative(self, term: Term) -> bool:
        """Whether the first two operands of the operator may be exchanged."""
        if self._to_the_bit and isinstance(term.type, FloatType):
            return False
        operator = OPERATORS.get(term.op)
        return operator is not None and operator.facts.commutative

    def of(self, left: Term, right: Term) -> list[tuple[Term, ...]]:
        """Both orders of the target's operands, the likelier first."""
        first, second, *rest = right.args
        straight, exchanged = (first, second, *rest), (second, first, *rest)
        return [exchanged, straight] if self._exchanged(left, right) else [straight, exchanged]

    def decides(self, left: Term, right: Term) -> bool:
        """Whether the operands likely match in exactly one order."""
        return self._exchanged(left, right) is not None

    def _exchanged(self, left: Term, right: Term) -> bool | None:
        """Whether the operands match exchanged, and only then, by all that they are made of or else by their operators
        (a read on one side may be a computation on the other); None if neither decides."""
        for likeness in (self._sign, self._root):
            want, have = ([likeness(a) for a in term.args[:2]] for term in (left, right))
            if want[0] != want[1] and sorted(want) == sorted(have):
                return want != have
        return None

    def _root(self, term: Term) -> int:
        if term.op == "load" or isinstance(term.type, IndexType) or not term.args or term.id in self._constants:
            return self._sign(term)
        return self._numbers.setdefault(("operator", term.op, term.attrs), len(self._numbers))

    def _sign(self, term: Term) -> int:
        stack = [term]
        while stack:
            node = stack[-1]
            missing = [a for a in node.args if a.id not in self._signs]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self._signs[node.id] = self._numbers.setdefault(self._shape(node), len(self._numbers))
        return self._signs[term.id]

    def _shape(self, node: Term) -> tuple[object, ...]:
        if node.op == "load":
            memory = node.attr("memory")
            assert isinstance(memory, int)
            return ("load", self._names.get(memory, "*"))
        if isinstance(node.type, IndexType):
            return ("index",)
        constant = self._constant(node)
        if constant is not None:
            return ("constant", node.type, repr(constant))
        signs = [self._signs[a.id] for a in node.args]
        return (node.op, node.attrs, *(sorted(signs) if self.commutative(node) else signs))

    def _constant(self, node: Term) -> Scalar | None:
        """The value of a literal, or of an operator on constants; None where it is none."""
        value: Scalar | None = literal(node)
        if self._evaluate is not None and node.args and all(a.id in self._constants for a in node.args):
            value = self._evaluate(node, tuple(self._constants[a.id] for a in node.args))
        if value is not None:
            self._constants[node.id] = value
        return value
