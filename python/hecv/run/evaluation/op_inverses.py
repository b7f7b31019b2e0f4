"""Inverses of integer operators: guesses an operand that gives a wanted value, and tries each guess."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from hecv.base.term import Term
from hecv.base.types import IntType
from hecv.base.value import Scalar
from hecv.ops import facts_about
from hecv.run.evaluation.op_evaluation import Evaluator

RANDOM: Final = 12
"""Random values that are tried after all other guesses."""


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
    made = facts_about(term.op).inverse
    if made is not None:
        yield from made(wanted, position, other, width, random)
    yield from (wanted, *others)
    for value in (*others, now):
        if isinstance(value, int):
            yield from (value + 1, value - 1, ~value, -value)
    half = 1 << (width - 1)
    yield from (0, 1, half, half - 1, 2 * half - 1)
    yield from (random.getrandbits(width) for _ in range(RANDOM))
