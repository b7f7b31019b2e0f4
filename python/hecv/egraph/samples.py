"""Values of the leaves of shapes (`hecv.egraph.cuts`), for which two terms that are not equal mostly differ.

Two operators of which one is a rewrite of the other by mistake, or by chance has its values in a whole program, differ
where an operand is 0 or all ones, where one is smaller than another that is extended, or where two are equal. So values
are of several kinds, the same kind for all leaves of a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from hecv.base.types import IndexType, IntType, ScalarType
from hecv.base.value import Scalar
from hecv.egraph.fingerprints import draw

STAGES: Final = (12, 96, 400)
"""So many samples are tried at first, then, and before a solver is asked."""

LAST: Final = len(STAGES) - 1

Drawing = Callable[[int, Random, int], int]
"""A value from a width, chance, and a number that the leaves of a sample have in common."""


class Samples:
    """The values of leaves by their number in a shape."""

    def __init__(self, index_width: int) -> None:
        self._index_width: Final = index_width
        self._columns: Final[dict[tuple[int, ScalarType, int], Sequence[Scalar]]] = {}

    def column(self, number: int, type_: ScalarType, stage: int) -> Sequence[Scalar]:
        """The values of the leaf with a number."""
        key = (number, type_, stage)
        found = self._columns.get(key)
        if found is None:
            found = self._columns[key] = self._drawn(number, type_, stage)
        return found

    def _drawn(self, number: int, type_: ScalarType, stage: int) -> Sequence[Scalar]:
        count, random, common = STAGES[stage], Random(f"{number} {stage}"), Random(f"common {stage}")
        width = self._index_width if isinstance(type_, IndexType) else getattr(type_, "width", 0)
        if not isinstance(type_, IndexType | IntType):
            return [draw(type_, self._index_width, k % 2 == 0, k % 4 == 3, random) for k in range(count)]
        residues = [KINDS[k % len(KINDS)](width, random, common.getrandbits(64)) for k in range(count)]
        if isinstance(type_, IntType):
            return [v & ((1 << width) - 1) for v in residues]
        half = 1 << (width - 1)
        return [(v + half) % (2 * half) - half for v in residues]


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
