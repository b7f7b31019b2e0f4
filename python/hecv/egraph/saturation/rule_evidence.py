"""Evidence for a user's rule: why it is used, why it is not, or that it is false."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

Evidence = Literal["proved", "tested", "trusted"]

STRENGTH: Final[Mapping[str, int]] = {"proved": 0, "tested": 1, "trusted": 2}


def weaker(one: Evidence, other: Evidence) -> Evidence:
    """The weaker evidence of two."""
    return max(one, other, key=lambda e: STRENGTH[e])


class FalseLaw(Exception):
    """A law of the user is false; `text` has the values, `place` is the rule's."""

    def __init__(self, rule: str, place: str, text: str) -> None:
        super().__init__(f"{rule}: {text}")
        self.rule: Final = rule
        self.place: Final = place
        self.text: Final = text


class Refusal(Struct, frozen=True):
    """Why an instance of a rule is not used for proof: it is `one-way`, or `unproved` and not trusted."""

    rule: str
    place: str
    why: Literal["one-way", "unproved"]
    text: str
