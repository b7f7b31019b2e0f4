"""In which order the operands of two commutative operators are compared."""

from __future__ import annotations

from hecv.base.term import Term
from hecv.base.types import FloatType, IndexType
from hecv.dialects import OPERATORS
from hecv.graph.tree import MemoryKind
from hecv.poly.dataflow import Dataflow


class Orders:
    """The orders in which the operands of a commutative operator may match, the likeliest first.

    Operands are likened by what they are made of: literals, arguments, arrays that neither program writes (an array
    that is written may hold anything). Where a program shows which NaN a float is (`to_the_bit`), no operator on floats
    commutes: of two NaN it may pass on the first.
    """

    def __init__(self, source: Dataflow, target: Dataflow, to_the_bit: bool) -> None:
        self._to_the_bit = to_the_bit
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
        return operator is not None and operator.commutative

    def of(self, left: Term, right: Term) -> list[tuple[Term, ...]]:
        """Both orders of the target's operands."""
        first, second, *rest = right.args
        straight, exchanged = (first, second, *rest), (second, first, *rest)
        want = [self._sign(a) for a in left.args[:2]]
        have = [self._sign(a) for a in (first, second)]
        if want != have and want == have[::-1]:
            return [exchanged, straight]
        return [straight, exchanged]

    def alike(self, left: Term, right: Term) -> bool:
        """Whether nothing that is known of two operands tells them apart."""
        return self._sign(left) == self._sign(right)

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
        signs = [self._signs[a.id] for a in node.args]
        return (node.op, node.attrs, *(sorted(signs) if self.commutative(node) else signs))
