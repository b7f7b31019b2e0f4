"""What a proof of equality says: the assumptions that it makes, or where it ends."""

from __future__ import annotations

from msgspec import Struct


class Assumption(Struct, frozen=True, order=True):
    """What a proof takes for granted, and how often: `exp(-inf) = 0`, `nonzero divisor`, `literals equal`, ..."""

    kind: str
    subject: str
    """The leaf or the term that it is about; empty if it is about none."""
    count: int

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject}" if self.subject else self.kind


class Proof(Struct, frozen=True):
    """Both sides are equal wherever the assumptions hold."""

    assumptions: tuple[Assumption, ...]
    boxes: int
    """Cases into which the free variables were split: 1 if they were not."""
    monomials: int
    """Monomials that were made."""
    seconds: float
    """CPU seconds."""
    on_indices: str = ""
    """An assumption that indices and sizes alone make right or wrong, whatever leaves hold; empty if none is made."""


class Gap(Struct, frozen=True):
    """Not proved. `text` shows the monomials in which the normal forms differ, or says what was missing."""

    text: str
    refuted: bool = False
    """Whether the two sides have different values, at sampled values of the leaves."""
    budget: bool = False
    """Whether the budget ended the proof."""
    undefined: bool = False
    """Whether a value may be undefined on one side: `inf - inf`, `0 * inf`, a divisor that is 0."""


class Limits(Struct, frozen=True):
    """What one proof may use."""

    monomials: int = 60_000
    seconds: float = 5.0
    """CPU seconds."""
