"""Certificates of closed forms of `while` loops: a guessed invariant for each result, and what it rests on.

`hecv.kernel.closed_form_check` states the theorem, and makes the proof obligations anew.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from hecv.kernel.certificate.rejection import Malformed
from hecv.kernel.certificate.term_format import RefinementProof, refinement_data, refinement_from


class Kept(Struct, frozen=True):
    """The loop invariant of one result: the formula with loop variables in place of some arguments (`now`: pairs of
    numbers), combined with the value accumulated in a variable by an operator (`so_far`).

    Proofs that the invariant is the formula before the `first` iteration, that a `turn` preserves it, and that it is
    the result after the `last`.
    """

    now: tuple[tuple[int, int], ...]
    so_far: tuple[str, int] | None
    first: RefinementProof
    turn: RefinementProof
    last: RefinementProof


class Falls(Struct, frozen=True):
    """The ranking variable: each iteration decreases it (`ult`) or increases it (`ugt`), as an unsigned number."""

    variable: int
    predicate: str
    proof: RefinementProof


class Invariant(Struct, frozen=True):
    """The function on this `side` (0 or 1) has a while; each of its `results` is what the other one computes.

    If `falls` is None, the loop is not proved to end.
    """

    side: int
    results: tuple[Kept, ...]
    falls: Falls | None


def invariant_data(proof: Invariant) -> dict[str, Any]:
    """A proof as JSON data."""
    results = [
        {
            "now": [list(pair) for pair in kept.now],
            "so_far": None if kept.so_far is None else list(kept.so_far),
            **{name: refinement_data(getattr(kept, name)) for name in ("first", "turn", "last")},
        }
        for kept in proof.results
    ]
    return {"kind": "invariant", "side": proof.side, "results": results, "falls": _falls_data(proof.falls)}


def _falls_data(falls: Falls | None) -> Any:
    return None if falls is None else [falls.variable, falls.predicate, refinement_data(falls.proof)]


def invariant_from(data: dict[str, Any]) -> Invariant:
    """Parses what `invariant_data` wrote.

    Raises: Malformed.
    """
    match data:
        case {"kind": "invariant", "side": 0 | 1 as side, "results": [*results], "falls": falls, **rest} if (
            not rest and type(side) is int
        ):
            return Invariant(side, tuple(map(_kept, results)), None if falls is None else _falls(falls))
        case _:
            raise Malformed("an invariant has `side`, `results` and `falls`")


def _kept(data: Any) -> Kept:
    match data:
        case {"now": [*now], "so_far": so_far, "first": first, "turn": turn, "last": last, **rest} if not rest:
            proofs = refinement_from(first), refinement_from(turn), refinement_from(last)
            return Kept(tuple(map(_pair, now)), None if so_far is None else _so_far(so_far), *proofs)
        case _:
            raise Malformed("of a result there are `now`, `so_far`, `first`, `turn` and `last`")


def _pair(data: Any) -> tuple[int, int]:
    match data:
        case [int(argument), int(variable)] if bool not in (type(argument), type(variable)):
            return argument, variable
        case _:
            raise Malformed("a variable stands for an argument by number")


def _so_far(data: Any) -> tuple[str, int]:
    match data:
        case [str(operator), int(variable)] if type(variable) is int:
            return operator, variable
        case _:
            raise Malformed("what was accumulated has an operator and a variable")


def _falls(data: Any) -> Falls:
    match data:
        case [int(variable), str(predicate), proof] if type(variable) is int:
            return Falls(variable, predicate, refinement_from(proof))
        case _:
            raise Malformed("what falls is a variable, by a predicate")
