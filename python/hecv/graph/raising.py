"""Raising: index computations written with `arith` become the quasi-affine terms of `hecv.graph.affine`.

Only terms that stand as a subscript, a bound or a condition are raised. In subscripts and bounds, index arithmetic is
assumed not to overflow, and every verdict that rests on that prints it; for conditions it has to be proved.
"""

from __future__ import annotations

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IndexType, IntType
from hecv.graph import affine

WRAPPING = frozenset(("arith.addi", "arith.subi", "arith.muli"))
"""The ops on index that wrap around, and that raising reads as exact."""


class Raiser:
    """Raises terms of one pool; results are kept for the next call."""

    def __init__(self, pool: TermPool) -> None:
        self._pool = pool
        self._memo: dict[int, Term] = {}

    def index(self, term: Term) -> Term:
        """`term` with its index arithmetic in canonical form; other operators stay as they are."""
        for node in postorder((term,)):
            if node.id not in self._memo:
                args = tuple(self._memo[a.id] for a in node.args)
                self._memo[node.id] = self._node(node, args)
        return self._memo[term.id]

    def _node(self, node: Term, args: tuple[Term, ...]) -> Term:
        if isinstance(node.type, IndexType):
            raised = self._arithmetic(node, args)
            if raised is not None:
                return raised
        return node if args == node.args else self._pool.make(node.op, args, node.type, node.attrs)

    def _arithmetic(self, node: Term, args: tuple[Term, ...]) -> Term | None:
        pool = self._pool
        match node.op:
            case "affine.linear":
                form = affine.linear(node)
                parts = tuple((a, c) for a, (_, c) in zip(args, form.terms, strict=True))
                return affine.combine(pool, form.constant, parts)
            case "affine.floordiv":
                divisor = node.attr("divisor")
                assert isinstance(divisor, int)
                return affine.floordiv(pool, args[0], pool.integer(divisor))
            case "affine.max" | "affine.min":
                return affine.extremum(pool, node.op, args)
            case "affine.mul" | "arith.muli" if not _flagged(node):
                return affine.multiply(pool, args[0], args[1])
            case "arith.addi" if not _flagged(node):
                return affine.add(pool, args[0], args[1])
            case "arith.subi" if not _flagged(node):
                return affine.subtract(pool, args[0], args[1])
            case "arith.maxsi" | "arith.minsi":
                return affine.extremum(pool, "affine.max" if node.op == "arith.maxsi" else "affine.min", args)
            case "arith.floordivsi" if _positive(args[1]):
                return affine.floordiv(pool, args[0], args[1])
            case "arith.ceildivsi" if _positive(args[1]):
                return affine.ceildiv(pool, args[0], args[1])
            case "arith.index_cast":
                return self._cast(args[0])
            case _:
                return None

    def _cast(self, operand: Term) -> Term | None:
        """A literal of type `iN`, read as signed; None where it could be out of the range of `index`."""
        value = literal(operand)
        if not isinstance(value, int) or not isinstance(operand.type, IntType):
            return None
        value = signed(value, operand.type.width)
        return self._pool.integer(value) if -(1 << 31) <= value < 1 << 31 else None


def signed(residue: int, width: int) -> int:
    """The signed value of a residue modulo `2**width`."""
    return residue - (1 << width) if residue >> (width - 1) else residue


def _positive(divisor: Term) -> bool:
    value = literal(divisor)
    return isinstance(value, int) and value > 0


def _flagged(node: Term) -> bool:
    """An overflow flag makes poison where it is broken; exact arithmetic has no such case, so the op stays."""
    return any(name == "overflow" for name, _ in node.attrs)
