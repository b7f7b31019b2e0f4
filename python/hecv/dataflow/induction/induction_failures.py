"""Why an induction failed: the obligations that could not be reduced."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, literal, name_of
from hecv.dataflow.model.term_instances import Initial, Position, settled

MAX_FAILURES = 40


class Failure(Struct, frozen=True):
    """An obligation that could not be reduced.

    `source` and `target` are statement ids (None for an initial value). `exact`: no widening led here, so the instances
    of `relation` really have to agree, and its parameters are a place to look for a counterexample.
    """

    reason: str
    source: int | None
    target: int | None
    relation: str
    exact: bool
    parameters: isl.Set


class Failures:
    """The first obligations of a proof that could not be reduced."""

    def __init__(self) -> None:
        self._found: list[Failure] = []

    def __iter__(self) -> Iterator[Failure]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def add(self, reason: str, source: Position, target: Position, relation: isl.Map, exact: bool) -> None:
        if len(self._found) < MAX_FAILURES:
            place = [None if isinstance(p, Initial) else settled(p).statement.statement for p in (source, target)]
            text = str(relation) if len(self._found) < 3 else ""
            self._found.append(Failure(reason, place[0], place[1], text, exact, relation.params()))

    def forget(self, mark: int) -> None:
        """Drops all but the first `mark` failures: the proof succeeded another way."""
        del self._found[mark:]


def named(term: Term) -> str:
    """The name of a term in messages."""
    value = literal(term)
    if value is not None:
        return f"{value} : {term.type}"
    return f"argument {term.attr('number')}" if term.op == "arg" else name_of(term)
