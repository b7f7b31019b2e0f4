"""What others ask of an operator besides its meaning: its laws, how it reads integers, the bounds of its value.

Facts are declared where the op is defined, and each is tested against the op's semantics. What is not declared is not
known: no fact is needed for an op to be right, and each one is used where it is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final, Literal

from msgspec import Struct

from hecv.base.types import FloatType, IndexType, IntType, ScalarType
from hecv.ops.integer_bounds import Transfer

Guess = Callable[[int, int, int, int, Random], Iterator[int]]
"""From the wanted value, the position of the operand, the value of the other one, the width and chance."""


class Extremum(Struct, frozen=True):
    """The greater or the lesser of two operands, compared as signed or unsigned integers; floats are `signed`."""

    greatest: bool
    signed: bool


class Division(Struct, frozen=True):
    """A quotient, or what is left over of one, of integers that are read as signed or unsigned numbers."""

    signed: bool
    remainder: bool = False


Extension = Literal["zero", "sign"]
ZERO: Final = frozenset[Extension](("zero",))
SIGN: Final = frozenset[Extension](("sign",))
EITHER: Final = ZERO | SIGN


class Facts(Struct, frozen=True, kw_only=True):
    """The facts of an operator `op`, for all operands that are not poison, and of one width unless it says so."""

    commutative: bool = False
    """`x op y = y op x`; of more operands the first two may be exchanged."""

    associative: bool = False
    """`(x op y) op z = x op (y op z)`, floats up to the payload of a NaN."""

    regroups: bool = False
    """Associative over the reals: floats are rounded, so that it takes a licence (`hecv.ops.fastmath_flags`)."""

    idempotent: bool = False
    """`x op x = x`."""

    neutral: int | float | Callable[[int], int] | None = None
    """The second operand `e` with `x op e = x`, modulo `2**width`, or by the width."""

    absorbing: int | Callable[[int], int] | None = None
    """The second operand `z` with `x op z = z`, modulo `2**width`, or by the width."""

    subtracts: str = ""
    """The operator `+` with `x op y = x + (-y)`: a link of its chains, whose second operand counts with a sign."""

    undone_by: str = ""
    """The operator `-` with `(x op y) - y = x`; of floats over the reals."""

    total: bool = False
    """Never poison, but for flags, and never undefined."""

    choosing: bool = False
    """It may answer differently from one correct run to the next: of zeros of different sign it is either one."""

    wraps: Callable[[int, int], int] | None = None
    """The exact integer whose low bits are the value, whether operands are read as signed or unsigned numbers; it is
    monotone in each."""

    bitwise: bool = False
    """A bit of the value depends on those bits of the operands only, in one way for all bits, and is 0 where they
    are."""

    widens: frozenset[Extension] = frozenset()
    """An extension of the value is `op` on such extensions of the operands, where `op` is proper; the amount of a shift
    is extended by zeros."""

    division: Division | None = None
    """Undefined for a divisor that is 0 or poison, a signed one for MIN by -1, too; any other divisor makes it proper.
    """

    shifts: bool = False
    """Proper, but for flags, where the second operand is an unsigned number below the width, and only there."""

    extremum: Extremum | None = None

    extends: Extension | None = None
    """A cast to more bits, by zeros or by the sign; between an index and an integer it may be one to fewer."""

    truncates: bool = False
    """A cast to the low bits."""

    unsigned: str = ""
    """The operator that it is where no operand is negative as a signed number."""

    signed: str = ""
    """The operator on signed numbers that it is where no operand is negative as one."""

    bounds: Transfer | None = None
    """The bounds of its value, from those of its operands."""

    inverse: Guess | None = None
    """Guesses of an operand that gives a wanted value."""

    def family(self, op: str) -> str | None:
        """The operator of whose chains `op`, of which these are the facts, is a link; None where it is of none."""
        return self.subtracts or (op if self.commutative and (self.associative or self.regroups) else None)

    @property
    def ring(self) -> bool:
        """A sum, difference or product modulo `2**width`: the low bits of the value depend on those of the operands."""
        return self.wraps is not None and not self.shifts

    @property
    def casts(self) -> bool:
        """A cast of an integer to another width."""
        return self.truncates or self.extends is not None

    def neutral_in(self, kind: ScalarType) -> int | float | None:
        """The literal `e` of this type with `x op e = x`; None where none is known, also of an index of any width."""
        match kind:
            case IntType(width):
                return _residue(self.neutral, width)
            case IndexType():
                return self.neutral if isinstance(self.neutral, int) and self.neutral >= 0 else None
            case FloatType():
                return self.neutral if isinstance(self.neutral, float) else None
            case _:
                return None

    def absorbing_in(self, width: int) -> int | None:
        """The unsigned number `z` of this width with `x op z = z`."""
        return _residue(self.absorbing, width)


def _residue(value: float | Callable[[int], int] | None, width: int) -> int | None:
    if callable(value):
        return value(width)
    return value % (1 << width) if isinstance(value, int) else None


NO_FACTS: Final = Facts()
"""Of an op of which nothing is known."""
