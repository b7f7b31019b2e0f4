"""Sizes and integer arguments for test runs, sampled from the set on which the source stays in bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, cycle, islice
from random import Random
from typing import Final

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, postorder
from hecv.dataflow.model.parameter_sampling import Point
from hecv.dataflow.model.value_dataflow import Budget
from hecv.dataflow.pair_model import Pair
from hecv.program.tree import Block, If, Loop, While

MAX_TRIALS: Final = 10_000
DOUBTFUL: Final = 32
"""The number of failed trials after which it is checked whether any point exists."""
OPERATIONS: Final = 2_000_000  # of isl, for one point
FIRST_VOLUME: Final = 3_000
VOLUME: Final = 100_000
"""The most iterations of a nest over all scalar arguments, roughly, in a run: `FIRST_VOLUME` at first, `VOLUME` in the
end."""

TRIALS_AT_A_VOLUME: Final = 8
LARGE: Final = 20_000
"""The largest size that is tried alone; each further size halves it."""

MOST_EXTENT: Final = 64
POSITIVE: Final = (1, 2, 3, 4, 5, 7, 8, 9, 17)
SMALL: Final = (0, 1, 2, 3, 4, 5, 7, 8, 9, -1, 16, 17, 6, 10, -2, 33)
TINY: Final = (1, 2, 2, 3)
FAR: Final = 100
SIGNS: Final = (1, -1, 2, -2, -1, 0, 3, -3, 5, -7)

Wish = Mapping[Term, Sequence[int]]
"""Values to try in turn for some of the sizes; an extent without any is made as small as possible."""


def points(pair: Pair, interesting: tuple[int, ...], random: Random) -> Iterator[Point]:
    """Values of the scalar integer arguments and dynamic extents, endless or until none are left to try.

    Scalar arguments get small and `interesting` values (constants of the programs and their neighbours); extents are as
    small as the source allows, or a little larger, or equal to a scalar argument. A pair without parameters has one
    point. Arguments that only occur in values are left out; those with assumptions on them are left out of every other
    point.
    """
    outside = pair.undefined()
    idle = frozenset(t for t in pair.parameters.idle if t.op == "arg")
    scalars = [t for t in pair.parameters.names if t.op == "arg" and t not in idle]
    assumed = frozenset(scalars) - pair.used
    extents = [t for t in pair.parameters.names if t.op == "dim"]
    if not scalars and not extents:
        if not pair.space.known.subtract(outside).is_empty():
            yield {}
        return
    in_vain = 0
    depths = _depths(pair)
    extents.sort(key=lambda t: -depths.get(t, 0))
    wishes = _Wishes(scalars, [t for t in extents if t in depths], extents, interesting, random)
    for wish in islice(wishes.all(), MAX_TRIALS):
        if in_vain == DOUBTFUL and pair.is_vacuous():
            return
        pair.space.renew(OPERATIONS)
        try:
            point = _point(pair, scalars, _shuffled(extents, depths, random), wish, outside, random)
        except isl.Error as error:
            if not isinstance(pair.space.failure(error), Budget):
                raise
            continue
        if point is None:
            in_vain += 1
        else:
            in_vain = DOUBTFUL + 1
            yield {t: v for t, v in point.items() if t not in idle}
            if assumed:
                yield {t: v for t, v in point.items() if t not in idle | assumed}


def _point(
    pair: Pair, scalars: list[Term], extents: list[Term], wish: Wish, outside: isl.Set, random: Random
) -> Point | None:
    fixed = pair.space.known
    for term in scalars:
        fixed = _fix(pair, fixed, term, wish.get(term, ()))
    fixed = pair.sampler.multiplied(fixed)
    # The scalars come first: what is then left of the source's bounds is simple.
    fixed = pair.space.coalesced(fixed.subtract(outside.intersect(fixed)))
    # An extent that is to be large comes before those that have to fit it.
    for term in sorted(extents, key=lambda t: not wish.get(t)):
        fixed = _fix_extent(pair, fixed, term, wish.get(term, ()), random)
    return pair.sampler.point(fixed)


class _Wishes(Struct, frozen=True):
    """The sizes to try, in this order.

    First all large enough for loops to run. Then in turn: one next to a constant of the programs (a tile size, an
    unroll factor) and the others tiny, since a deep nest with several would run too long; a mixture; and any, half of
    the time of either sign.
    """

    scalars: list[Term]
    bounding: list[Term]
    extents: list[Term]
    interesting: tuple[int, ...]
    random: Random

    def all(self) -> Iterator[Wish]:
        """An endless sequence of wishes."""
        yield self._spread(0)
        yield self._spread(1)
        large = self._large()
        for trial in count():
            volume = min(VOLUME, FIRST_VOLUME << min(trial // TRIALS_AT_A_VOLUME, 10))
            match trial % 3:
                case 0:
                    yield next(large)
                case 1:
                    yield self._mixed(volume)
                case _:
                    yield self._any(volume) if trial % 2 else self._signs()

    def _sizes(self) -> list[Term]:
        """The sizes that bound loops: the scalars and the `bounding` extents, or all extents if there are none."""
        return [*self.scalars, *self.bounding] or self.extents

    def _spread(self, trial: int) -> Wish:
        sizes = self._sizes()
        cap = max(3, round(FIRST_VOLUME ** (1 / len(sizes))))
        shuffled = enumerate(self.random.sample(sizes, len(sizes)))
        if trial:
            found = {t: _capped((9 - place % 3, 4, 1), cap) for place, t in shuffled}
            return {**dict.fromkeys(self.extents, (4,)), **found}
        return {t: _capped((5 + place, 4, 3, 2, 1, 0), cap) for place, t in shuffled}

    def _large(self) -> Iterator[Wish]:
        """Each value next to a constant for each size, then for extents too; without a constant, 17."""
        sizes, every = self._sizes(), [*self.scalars, *self.extents]
        most = max(MOST_EXTENT, LARGE >> (len(sizes) - 1))
        values = [v for v in self.interesting if max(TINY) < v <= most] or [17]
        for chosen in cycle((sizes, every)):
            for value in values:
                for term in self.random.sample(chosen, len(chosen)):
                    yield {**{t: (self.random.choice(TINY), 1, 2, 0) for t in sizes}, term: (value,)}

    def _mixed(self, volume: int) -> Wish:
        """Mostly positive values, half of them next to constants of the programs."""
        wish: dict[Term, Sequence[int]] = {}
        for term in self.random.sample(self._sizes(), len(self._sizes())):
            near = [v for v in self.interesting if v > 0] if self.random.random() < 0.5 else []
            chosen = [*self.random.sample(near, min(2, len(near))), *self.random.sample(POSITIVE, 3), 1]
            wish[term] = _capped(chosen, volume)
            volume //= max(1, wish[term][0])
        return wish

    def _any(self, volume: int) -> Wish:
        values = (*SMALL, *self.interesting)
        wish: dict[Term, Sequence[int]] = {}
        for term in self.random.sample(self._sizes(), len(self._sizes())):
            far = [self.random.randint(-FAR, FAR)] if self.random.random() < 0.3 else []
            wish[term] = _capped([*far, *(self.random.choice(values) for _ in range(4)), 1], volume)
            volume //= max(1, wish[term][0])
        return wish

    def _signs(self) -> Wish:
        """Small values of either sign: two negative trip counts make a positive product."""
        return {t: (self.random.choice(SIGNS), 1, 0) for t in self.scalars}


def _shuffled(extents: list[Term], depths: Mapping[Term, int], random: Random) -> list[Term]:
    """The extents of deep nests first, those of one depth in random order: the output of a convolution is chosen before
    its window, which otherwise leaves no room for it."""
    return sorted(random.sample(extents, len(extents)), key=lambda t: -depths.get(t, 0))


def _depths(pair: Pair) -> dict[Term, int]:
    """For each extent that bounds a loop, the depth of the deepest nest in which it does."""
    found: dict[Term, int] = {}
    for side in (pair.source, pair.target):
        _note_depths(side.body, 1, found)
    return found


def _note_depths(block: Block, level: int, found: dict[Term, int]) -> int:
    """Records the depths of a block's loops, which begin at `level`; returns the greatest."""
    deepest = level - 1
    for s in block:
        match s:
            case Loop():
                depth = _note_depths(s.body, level + 1, found)
                for term in postorder((*s.lowers, *s.uppers)):
                    if term.op == "dim":
                        found[term] = max(depth, found.get(term, 0))
            case If():
                depth = _note_depths((*s.then, *s.otherwise), level, found)
            case While():
                depth = _note_depths((*s.before, *s.after), level, found)
            case _:
                continue
        deepest = max(deepest, depth)
    return deepest


def _capped(values: Sequence[int], most: int) -> Sequence[int]:
    return [v for v in values if v <= most] or [1]


def _fix(pair: Pair, within: isl.Set, term: Term, candidates: Sequence[int]) -> isl.Set:
    """The subset where the parameter has the first candidate value that is possible; all where none is."""
    for value in candidates:
        narrowed = pair.sampler.fixed(within, term, value)
        if not narrowed.is_empty():
            return narrowed
    return within


def _fix_extent(pair: Pair, within: isl.Set, term: Term, wanted: Sequence[int], random: Random) -> isl.Set:
    """The subset where an extent has a wanted value; else its least possible value, or a little more."""
    place = pair.sampler.place(within, term)
    if place < 0 or within.is_empty():
        return within
    low, high = 0, MOST_EXTENT
    while low < high:
        middle = (low + high) // 2
        some = within.upper_bound_val(isl.dim_type.param, place, middle)
        low, high = (middle + 1, high) if some.is_empty() else (low, middle)
    more = random.choice((0, 0, 0, 1, 2))
    return _fix(pair, within, term, [*(v for v in wanted if v >= low), low + more, low])
