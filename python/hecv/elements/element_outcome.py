"""Limits and outcomes of a proof element by element (`hecv.elements.element_prover`)."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Budget(Struct, frozen=True):
    """Limits: the operators evaluated in one function, and the monomials added and multiplied in all."""

    operators: int
    monomials: int


SMALL: Final = Budget(400_000, 1_000_000)
"""A budget of some seconds."""


def budget_of(seconds: float) -> Budget:
    """A budget of about that many seconds."""
    return Budget(int(60_000 * seconds), int(300_000 * seconds))


class Same(Struct, frozen=True):
    """The target refines the source; `one_way` says why the converse was not proved.

    `rounded`: the literals that were read as other numbers. `infinite`: infinities were computed with.
    """

    elements: int
    one_way: str | None
    rounded: tuple[str, ...]
    infinite: bool


class Open(Struct, frozen=True):
    """What was not proved: an element that the statements `source` and `target` wrote, if it is about one. `long`: a
    larger budget may prove it."""

    text: str
    source: int | None = None
    target: int | None = None
    long: bool = False
