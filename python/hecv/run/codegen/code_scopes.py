"""Python lines in nested scopes, with the values and facts known in each scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct, field

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term

DEPTH: Final = 90  # Python allows 100 levels of indentation


class Bound(Struct, frozen=True):
    """The text of an evaluated term, valid in the scope at `depth`, and the interval of its value.

    The interval is for integers only. A `volatile` term loads from memory and is valid for one statement.
    """

    text: str
    low: int
    high: int
    depth: int
    volatile: bool = False


class Scope(Struct):
    """The lines of a block so far, and what has been evaluated in it."""

    lines: list[str] = field(default_factory=list[str])
    terms: list[int] = field(default_factory=list[int])
    facts: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])


class Lines:
    """The lines so far. Scopes nest like blocks; scope 0 is the function body."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.memo: dict[int, Bound] = {}
        self.facts: dict[tuple[object, ...], str] = {}
        self.volatile: list[int] = []
        self.statement = -1
        self.count = 0

    def line(self, text: str, depth: int = -1) -> None:
        """Adds a line to the scope at `depth` (default: the innermost), before any nested scope that is open there."""
        depth = depth if depth >= 0 else len(self.scopes) - 1
        self.scopes[depth].lines.append(" " * (depth + 1) + text)

    def fresh(self, prefix: str) -> str:
        """A name not used before."""
        self.count += 1
        return f"{prefix}{self.count}"

    def undefined(self, condition: str, text: str) -> None:
        """Emits a check: if `condition` holds, the run is undefined here."""
        self.line(f"if {condition}: return Undefined({text!r}, {self.statement}, budget - left)")

    def nested(self, emit: Callable[[], None]) -> list[str]:
        """The lines that `emit` adds in a nested scope."""
        if len(self.scopes) >= DEPTH:
            raise Unsupported(f"blocks nested more than {DEPTH} deep", None)
        self.scopes.append(Scope())
        emit()
        depth = len(self.scopes)
        scope = self.scopes.pop()
        for term in scope.terms:
            self.memo.pop(term, None)
        for fact in scope.facts:
            self.facts.pop(fact, None)
        return scope.lines or [" " * depth + "pass"]

    def state(self, fact: tuple[object, ...], text: str) -> None:
        """Remembers a fact until the innermost scope ends."""
        self.facts[fact] = text
        self.scopes[-1].facts.append(fact)

    def keep(self, term: Term, bound: Bound) -> None:
        """Remembers the value of a term until its scope ends."""
        self.memo[term.id] = bound
        self.scopes[bound.depth].terms.append(term.id)
        if bound.volatile:
            self.volatile.append(term.id)

    def forget(self) -> None:
        """Forgets values loaded from memory."""
        for term in self.volatile:
            self.memo.pop(term, None)
        self.volatile.clear()
