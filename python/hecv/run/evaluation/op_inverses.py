"""Inverses of integer operators: guesses an operand that gives a wanted value, and tries each guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from hecv.base.term import Term
from hecv.base.types import IntType
from hecv.base.value import Scalar
from hecv.run.evaluation.op_evaluation import Evaluator

RANDOM: Final = 12
"""Random values that are tried after all other guesses."""

Guess = Callable[[int, int, int, int, Random], Iterator[int]]
"""From the wanted value, the operand's position, the value of the other operand, the width, and a random generator."""


def inverse(
    term: Term, wanted: int, position: int, operands: list[Scalar], apply: Evaluator, random: Random
) -> int | None:
    """A value of the operand at `position` for which the root of `term` gives `wanted`, with the other operands
    unchanged; None if no guess is right."""
    kind = term.args[position].type
    assert isinstance(kind, IntType)
    for guess in _guesses(term, wanted, position, operands, kind.width, random):
        value = guess % (1 << kind.width)
        tried = (*operands[:position], value, *operands[position + 1 :])
        if apply(term, tried) == wanted:
            return value
    return None


def _guesses(
    term: Term, wanted: int, position: int, operands: list[Scalar], width: int, random: Random
) -> Iterator[int]:
    others = [v for k, v in enumerate(operands) if k != position and isinstance(v, int)]
    other, now = others[0] if others else 0, operands[position]
    made = _INVERSES.get(term.op)
    if made is not None:
        yield from made(wanted, position, other, width, random)
    yield from (wanted, *others)
    for value in (*others, now):
        if isinstance(value, int):
            yield from (value + 1, value - 1, ~value, -value)
    half = 1 << (width - 1)
    yield from (0, 1, half, half - 1, 2 * half - 1)
    yield from (random.getrandbits(width) for _ in range(RANDOM))


def _sub(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    yield wanted + other if position == 0 else other - wanted


def _mul(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if other % (1 << width):
        twos = (other & -other).bit_length() - 1
        found = (wanted >> twos) * pow(other >> twos, -1, 1 << width)
        yield found % (1 << (width - twos)) + (random.getrandbits(twos) << (width - twos) if twos else 0)


def _shl(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if position == 0 and other < width:
        yield wanted >> other | (random.getrandbits(width) >> (width - other) << (width - other))


def _shr(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if position == 0 and other < width:
        yield wanted << other | (random.getrandbits(width) & ((1 << other) - 1))


def _div(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if position == 0 and other:
        yield wanted * other + random.randrange(other)
        yield wanted * other


def _rem(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if position == 0 and other:
        yield wanted + other * random.randrange((1 << width) // other)


def _trunc(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    for few in (random.getrandbits(width), 0):
        for kept in range(width):
            yield few >> kept << kept | wanted if wanted < 1 << kept else -1


_INVERSES: Final[dict[str, Guess]] = {
    "arith.addi": lambda wanted, position, other, width, random: iter((wanted - other,)),
    "arith.subi": _sub,
    "arith.xori": lambda wanted, position, other, width, random: iter((wanted ^ other,)),
    "arith.andi": lambda wanted, position, other, width, random: iter((wanted | random.getrandbits(width) & ~other,)),
    "arith.ori": lambda wanted, position, other, width, random: iter((wanted & ~(random.getrandbits(width) & other),)),
    "arith.muli": _mul,
    "arith.shli": _shl,
    "arith.shrui": _shr,
    "arith.shrsi": _shr,
    "arith.divui": _div,
    "arith.divsi": _div,
    "arith.remui": _rem,
    "arith.trunci": _trunc,
}
