"""Limits and outcomes of a proof element by element (`hecv.elements.element_prover`)."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Budget(Struct, frozen=True):
    """The operators evaluated in one function at most, and the monomials of all that is added and multiplied."""

    operators: int
    monomials: int


SMALL: Final = Budget(400_000, 1_000_000)
"""Some seconds."""


def budget_of(seconds: float) -> Budget:
    """What takes about so many seconds."""
    return Budget(int(60_000 * seconds), int(300_000 * seconds))


class Same(Struct, frozen=True):
    """The target refines the source; `one_way` says why the converse was not shown. `rounded` are the literals that
    were taken for other numbers, `infinite` tells that infinities were computed with."""

    elements: int
    one_way: str | None
    rounded: tuple[str, ...]
    infinite: bool


class Open(Struct, frozen=True):
    """What was not shown: an element that the statements `source` and `target` wrote, where it is about one; `long`
    tells that a larger budget may show it."""

    text: str
    source: int | None = None
    target: int | None = None
    long: bool = False
