"""Sizes and integer arguments to run on, drawn from the set on which the source stays in bounds."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import islpy as isl

from hecv.base.term import Term, literal
from hecv.graph import affine
from hecv.poly.dataflow import Budget
from hecv.poly.prove import Pair, sample
from hecv.poly.space import NONLINEAR

MAX_TRIALS = 10_000
OPERATIONS = 2_000_000  # of isl, for one point
VOLUME = 100_000  # about how many iterations of a nest over all scalar arguments a run may take
POSITIVE = (1, 2, 3, 4, 5, 7, 8, 9, 17)
SMALL = (0, 1, 2, 3, 4, 5, 7, 8, 9, -1, 16, 17, 6, 10, -2, 33)


def points(pair: Pair, interesting: tuple[int, ...], random: Random) -> Iterator[dict[Term, int]]:
    """Values of the scalar integer arguments and dynamic extents, forever or until none are left to try.

    Scalar arguments are tried at small and `interesting` values (constants of the programs and their neighbours);
    extents are as small as the source allows, or a little larger. A pair without parameters has one point.
    """
    outside = pair.undefined()
    scalars = [t for t in pair.parameters.names if t.op == "arg"]
    extents = [t for t in pair.parameters.names if t.op == "dim"]
    if not scalars and not extents:
        if not pair.space.known.subtract(outside).is_empty():
            yield {}
        return
    values = tuple(dict.fromkeys((*SMALL, *interesting)))
    for trial in range(MAX_TRIALS):
        pair.space.renew(OPERATIONS)
        try:
            point = _point(pair, scalars, extents, values, interesting, outside, trial, random)
        except isl.Error as error:
            if not isinstance(pair.space.failure(error), Budget):
                raise
            continue
        if point is not None:
            yield point


def _point(
    pair: Pair,
    scalars: list[Term],
    extents: list[Term],
    values: tuple[int, ...],
    interesting: tuple[int, ...],
    outside: isl.Set,
    trial: int,
    random: Random,
) -> dict[Term, int] | None:
    fixed, volume = pair.space.known, VOLUME
    for place, term in enumerate(random.sample(scalars, len(scalars))):
        cap = max(3, round(VOLUME ** (1 / len(scalars))) if trial < 2 else volume)
        candidates = [v for v in _preferred(values, interesting, trial, place, random) if v <= cap]
        fixed = _fix(pair, fixed, term, candidates)
        volume //= max(1, candidates[0] if candidates else 1)
    fixed = _multiplied(pair, fixed)
    # The scalars come first: what is then left of the source's bounds is simple.
    fixed = pair.space.coalesced(fixed.subtract(outside.intersect(fixed)))
    for term in random.sample(extents, len(extents)):
        fixed = _least(pair, fixed, term, random.choice((0, 0, 0, 1, 2)) if trial else 0)
    return sample(pair, fixed)


def _multiplied(pair: Pair, within: isl.Set) -> isl.Set:
    """The subset where products and quotients of scalar arguments are what they are; `within` has one value of each
    scalar, and isl knows no products."""
    products = [(t, n) for t, n in pair.parameters.names.items() if t.op in NONLINEAR]
    point = sample(pair, within) if products else None
    for term, name in products if point is not None else ():
        value = _value(term, {t: v for t, v in (point or {}).items() if t.op == "arg"})
        if value is not None:
            within = within.intersect(pair.space.set(f"{{ : {name} = {value} }}").params())
    return within


def _value(term: Term, values: dict[Term, int]) -> int | None:
    """The exact value of an index term over the given leaves, None where it is undefined or has other leaves."""
    known = literal(term)
    if isinstance(known, int):
        return known
    if not term.args:
        return values.get(term)
    found = [_value(a, values) for a in term.args]
    numbers = [n for n in found if n is not None]
    if len(numbers) < len(found):
        return None
    match term.op, numbers:
        case "affine.linear", _:
            form = affine.linear(term)
            return form.constant + sum(c * n for (_, c), n in zip(form.terms, numbers, strict=True))
        case "affine.mul", [left, right]:
            return left * right
        case "affine.quotient", [left, right] if right > 0:
            return left // right
        case _:
            return None


def _preferred(
    values: tuple[int, ...], interesting: tuple[int, ...], trial: int, place: int, random: Random
) -> list[int]:
    """A few values to try in turn: at first all arguments large enough for loops to run, then mostly positive ones,
    half of them next to constants of the programs (a tile's size, an unroll factor), every third time any."""
    if trial == 0:
        return [5 + place, 4, 3, 2, 1, 0]
    if trial == 1:
        return [9 - place % 3, 4, 1]
    if trial % 3 == 2:
        return [random.choice(values) for _ in range(4)]
    near = [v for v in interesting if v > 0] if random.random() < 0.5 else []
    return [*random.sample(near, min(2, len(near))), *random.sample(POSITIVE, 3), 1]


def _fix(pair: Pair, within: isl.Set, term: Term, candidates: list[int]) -> isl.Set:
    """The subset where the parameter has the first candidate value that is possible; all where none is."""
    name = pair.parameters.names[term]
    for value in candidates:
        narrowed = within.intersect(pair.space.set(f"{{ : {name} = {value} }}").params())
        if not narrowed.is_empty():
            return narrowed
    return within


def _least(pair: Pair, within: isl.Set, term: Term, more: int) -> isl.Set:
    """The subset where the extent is its least possible value plus `more` (its least where that is impossible)."""
    name = pair.parameters.names[term]
    at = within.get_space().find_dim_by_name(isl.dim_type.param, name)
    if at < 0 or within.is_empty():
        return within
    low, high = 0, 64
    while low < high:
        middle = (low + high) // 2
        some = within.intersect(pair.space.set(f"{{ : {name} <= {middle} }}").params())
        low, high = (middle + 1, high) if some.is_empty() else (low, middle)
    return _fix(pair, within, term, [low + more, low])
