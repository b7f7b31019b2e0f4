"""Sample values for the leaves of shapes (`hecv.sweep.cuts.leaf_cuts`), chosen to tell unequal terms apart.

Two terms of which one is a wrong rewrite of the other, or has its values in a whole program by chance, differ where an
operand is 0 or all ones, where one is smaller than another that is extended, or where two are equal. So there are
several kinds of values, one kind for all leaves of a sample.

Other terms differ only where a sum, difference or exclusive or with a literal is small or equal to something, or where
many bits are one at a time. For these, values are `aimed`: near the literals of a shape or 0, and with bits that are
mostly the same in a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Final

from msgspec import Struct

from hecv.base.types import IndexType, IntType, ScalarType
from hecv.base.value import Scalar
from hecv.sweep.cuts.fingerprints import draw

STAGES: Final = (12, 96)
"""The numbers of samples tried at first, and then."""

AIMED: Final = (96, 384)
"""The numbers of aimed samples tried before normal forms are compared, and before a solver is asked."""

Literals = tuple[int, ...]

BIT: Final = IntType(1)
ONES: Final = (0.08, 0.5, 0.92)
ZEROS: Final = (0.75, 0.35, 0.5)
"""The share of bits that are 1 and of longer values that are 0, in the aimed samples in turn."""

MOST_AMOUNTS: Final = 2
"""The most small literals that are taken for shift amounts."""

Drawing = Callable[[int, Random, int], int]
"""Draws a value from a width, a source of randomness, and a number that the leaves of a sample share."""


class Samples:
    """The sample values of leaves, by their number in a shape."""

    def __init__(self, index_width: int) -> None:
        self._index_width: Final = index_width
        self._drafts: Final[dict[tuple[int, int], Drafts]] = {}

    def drawn(self, number: int, type_: ScalarType, stage: int) -> Sequence[Scalar]:
        """The values of leaf `number`."""
        count, random, common = STAGES[stage], Random(f"{number} {stage}"), Random(f"common {stage}")
        if not isinstance(type_, IndexType | IntType):
            return [draw(type_, self._index_width, k % 2 == 0, k % 4 == 3, random) for k in range(count)]
        width = self._width(type_)
        return _in_range(
            [KINDS[k % len(KINDS)](width, random, common.getrandbits(64)) for k in range(count)], type_, width
        )

    def aimed(self, number: int, type_: ScalarType, near: Literals, aim: int) -> Sequence[Scalar]:
        """The values of leaf `number`, with those `near` literals (`neighbours`) among them."""
        drafts = self._drafts.get((number, aim))
        if drafts is None:
            drafts = self._drafts[number, aim] = _drafts(number, aim)
        if not isinstance(type_, IndexType | IntType):
            random = Random(f"{number} aimed {aim}")
            return [draw(type_, self._index_width, k % 2 == 0, k % 4 == 3, random) for k in range(AIMED[aim])]
        if type_ == BIT:
            return drafts.bits
        width, count = self._width(type_), len(near)
        return _in_range([near[k % count] + v if k else v for k, v in drafts.words], type_, width)

    def neighbours(self, literals: Iterable[int], type_: ScalarType) -> Literals:
        """The values near literals, or inverse to them, at a type; the ends of the range if there are none."""
        half = 1 << (self._width(type_) - 1)
        given = [v for v in dict.fromkeys(literals) if v]
        amounts = [v for v in given if 0 < v < 64][:MOST_AMOUNTS]
        found = [w for v in given for w in (v, -v, ~v, v ^ half, *[-v << k for k in amounts if v >= 64])]
        return tuple(found) or (half, half - 1, -1)

    def _width(self, type_: ScalarType) -> int:
        return self._index_width if isinstance(type_, IndexType) else getattr(type_, "width", 1)


def _in_range(values: list[int], type_: ScalarType, width: int) -> Sequence[int]:
    """Numbers as values of a type, modulo `2**width`."""
    mask, half = (1 << width) - 1, 1 << (width - 1)
    if isinstance(type_, IntType):
        return [v & mask for v in values]
    return [((v + half) & mask) - half for v in values]


class Drafts(Struct, frozen=True):
    """The recipe of a leaf's aimed values: those of a bit; for longer types, which neighbour of the literals (0 for
    none), and the distance from it."""

    bits: list[int]
    words: list[tuple[int, int]]


def _drafts(number: int, aim: int) -> Drafts:
    random, common = Random(f"{number} aimed {aim}"), Random(f"common aimed {aim}")
    bits: list[int] = []
    words: list[tuple[int, int]] = []
    for k in range(AIMED[aim]):
        bits.append(int(random.random() < ONES[k % len(ONES)]))
        shared = common.getrandbits(64) >> common.randrange(64)
        zero = random.random() < ZEROS[k // len(ONES) % len(ZEROS)]
        words.append((0, 0) if zero else _draft(random, shared))
    return Drafts(bits, words)


def _draft(random: Random, shared: int) -> tuple[int, int]:
    """Near a literal, else any number, or what another leaf of the sample may be."""
    choice = random.random()
    if choice < 0.07:
        return 0, shared
    if choice < 0.32:
        value = random.getrandbits(64) >> random.randrange(64)
        return 0, value if random.random() < 0.7 else -value
    return random.randrange(1, 1 << 30), random.choice((0, 0, 0, 0, 1, -1))


def _any(width: int, random: Random, common: int) -> int:
    return random.getrandbits(width)


def _of_any_size(width: int, random: Random, common: int) -> int:
    """Of as many bits as often as of any other number of bits."""
    value = random.getrandbits(random.randrange(1, width + 1))
    return -value if random.random() < 0.4 else value


def _edge(width: int, random: Random, common: int) -> int:
    """0 as often as not."""
    return random.choice((0, 0, 0, -1, 1, _of_any_size(width, random, common)))


def _near(width: int, random: Random, common: int) -> int:
    """What another leaf is, or next to it."""
    value = common >> (common % 64)
    return random.choice((value, value, value, value + 1, value - 1, ~value, 0, -1))


def _end(width: int, random: Random, common: int) -> int:
    """The ends of the range, and numbers next to 0."""
    return random.choice((random.randrange(-4, 5), (1 << (width - 1)) - random.randrange(2)))


KINDS: Final[tuple[Drawing, ...]] = (_edge, _near, _any, _edge, _of_any_size, _near, _edge, _end)
"""The kinds of the samples, in turn."""
