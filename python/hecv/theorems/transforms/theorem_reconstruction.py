"""Theorems from their statements: both sides and the obligations are rebuilt from what is stated, whoever found it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hecv.base.term import Term, TermPool
from hecv.program.tree import Loop, Touch
from hecv.theorems.schedules.theorem_instance import Applied, Instance, Scheduled, Surroundings
from hecv.theorems.transforms import fusion_distribution, loop_decoalescing, loop_marks, scalar_stores
from hecv.theorems.transforms.unroll_peel_strip import instance

LAW: Final = "schedules"
"""The name of an instance of the schedule law that is no named transformation."""


def stated(pool: TermPool, around: Surroundings, of: Scheduled | Applied) -> Instance | None:
    """The instance of what is stated, at a place; None if no theorem has that form."""
    match of:
        case Scheduled(parts, before, after, reorders):
            return instance(pool, LAW, around, parts, before, after, reorders)
        case Applied(theorem=theorem):
            make = _THEOREMS.get(theorem)
            return None if make is None else make(pool, around, of)


def _loop(of: Applied) -> Loop | None:
    (only,) = of.block if len(of.block) == 1 else (None,)
    return only if isinstance(only, Loop) else None


def _of_loop(
    theorem: Callable[[TermPool, Surroundings, Loop], Instance | None],
) -> Callable[[TermPool, Surroundings, Applied], Instance | None]:
    def made(pool: TermPool, around: Surroundings, of: Applied) -> Instance | None:
        loop = _loop(of)
        return None if loop is None else theorem(pool, around, loop)

    return made


def _digits(pool: TermPool, around: Surroundings, of: Applied) -> Instance | None:
    loop, by = _loop(of), of.by
    return None if loop is None or not isinstance(by, Term) else loop_decoalescing.split_digits(pool, around, loop, by)


def _forward(pool: TermPool, around: Surroundings, of: Applied) -> Instance | None:
    return scalar_stores.forward(pool, of.block) if len(of.block) > 1 else None


def _last(pool: TermPool, around: Surroundings, of: Applied) -> Instance | None:
    return scalar_stores.last(pool, of.block, of.at) if 0 < of.at < len(of.block) else None


def _nothing(pool: TermPool, around: Surroundings, of: Applied) -> Instance | None:
    (only,) = of.block if len(of.block) == 1 else (None,)
    return scalar_stores.idle(only) if isinstance(only, Touch) else None


_THEOREMS: Final[Mapping[str, Callable[[TermPool, Surroundings, Applied], Instance | None]]] = {
    "loop-sequential": _of_loop(loop_marks.sequential),
    "loop-signed": _of_loop(loop_marks.signed),
    "loop-once": _of_loop(fusion_distribution.once),
    "loop-digits": _digits,
    "cell-forward": _forward,
    "cell-last": _last,
    "touch-nothing": _nothing,
}
