"""Operands on which an integer operator gives a wanted value: guesses, of which each is tried."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random


def of_sum(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    yield wanted - other


def of_difference(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    yield wanted + other if position == 0 else other - wanted


def of_exclusive(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    yield wanted ^ other


def of_conjunction(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    yield wanted | random.getrandbits(width) & ~other


def of_disjunction(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    yield wanted & ~(random.getrandbits(width) & other)


def of_product(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if other % (1 << width):
        twos = (other & -other).bit_length() - 1
        found = (wanted >> twos) * pow(other >> twos, -1, 1 << width)
        yield found % (1 << (width - twos)) + (random.getrandbits(twos) << (width - twos) if twos else 0)


def of_left_shift(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if position == 0 and other < width:
        yield wanted >> other | (random.getrandbits(width) >> (width - other) << (width - other))


def of_right_shift(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if position == 0 and other < width:
        yield wanted << other | (random.getrandbits(width) & ((1 << other) - 1))


def of_quotient(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if position == 0 and other:
        yield wanted * other + random.randrange(other)
        yield wanted * other


def of_remainder(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    if position == 0 and other:
        yield wanted + other * random.randrange((1 << width) // other)


def of_truncation(wanted: int, position: int, other: int, width: int, random: Random) -> Iterator[int]:
    for few in (random.getrandbits(width), 0):
        for kept in range(width):
            yield few >> kept << kept | wanted if wanted < 1 << kept else -1
