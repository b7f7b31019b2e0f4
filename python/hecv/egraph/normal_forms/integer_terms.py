"""Integer terms without flags, as laws build them."""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, TermPool
from hecv.base.types import IntType, ScalarType


class Maker:
    """Builds terms without flags."""

    def __init__(self, pool: TermPool) -> None:
        self._pool: Final = pool

    def __call__(self, op: str, *args: Term) -> Term:
        """An operator whose result has the type of its last operand."""
        return self._pool.make(f"arith.{op}", args, args[-1].type, ())

    def of(self, op: str, *args: Term) -> Term:
        """As a call, by the operator's full name."""
        return self._pool.make(op, args, args[-1].type, ())

    def cast(self, op: str, term: Term, type_: ScalarType) -> Term:
        """A cast; the term itself if the type is the same."""
        return term if term.type == type_ else self._pool.make(op, (term,), type_, ())

    def compare(self, predicate: str, left: Term, right: Term) -> Term:
        """A comparison."""
        return self._pool.make("arith.cmpi", (left, right), IntType(1), (("predicate", predicate),))

    def number(self, value: int, type_: ScalarType) -> Term:
        """A literal, reduced modulo its width."""
        return self._pool.integer(value % (1 << width(type_)), type_)


def width(type_: ScalarType) -> int:
    """The number of bits."""
    assert isinstance(type_, IntType)
    return type_.width
