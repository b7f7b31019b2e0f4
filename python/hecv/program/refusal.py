"""Refusals: a part of a function that array dataflow cannot hold."""

from __future__ import annotations


class Refused(Exception):
    """The function on `side` (`S` or `T`) has a part that array dataflow cannot hold; `statement` is its id."""

    def __init__(self, text: str, side: str, statement: int) -> None:
        super().__init__(text)
        self.text = text
        self.side = side
        self.statement = statement
