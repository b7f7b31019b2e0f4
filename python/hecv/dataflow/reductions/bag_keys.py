"""Matching keys of two bags: what identifies a pair of related roots, and instances paired by such a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import islpy as isl

MOST_PIECES: Final = 4
"""The most disjuncts of a relation that is not simplified first."""


def keyed(
    source: Sequence[isl.Map], target: Sequence[isl.Map], relation: isl.Map
) -> tuple[list[isl.Map], list[isl.Map]]:
    """Maps from the roots of either side, as maps from a key that identifies a pair of related roots."""
    if relation.is_single_valued():
        domain = relation.domain()
        return [m.intersect_domain(domain) for m in source], [relation.apply_range(m) for m in target]
    if relation.is_injective():
        back, domain = relation.reverse(), relation.range()
        return [back.apply_range(m) for m in source], [m.intersect_domain(domain) for m in target]
    first, second = relation.domain_map(), relation.range_map()
    return [first.apply_range(m) for m in source], [second.apply_range(m) for m in target]


def ends(pairs: isl.Map) -> tuple[isl.Map, isl.Map]:
    """The instances on either side of pairs, by key: of `key -> [first -> second]`."""
    return pairs.range_factor_domain(), pairs.range_factor_range()


def one_to_one(pairs: isl.Map) -> bool:
    """Whether for each key, no instance is in two pairs.

    Tried first for all keys together, which have fewer disjuncts: if their pairs are one-to-one, so are those of each
    key.
    """
    together = pairs.range().unwrap()
    if together.n_basic_map() > MOST_PIECES:
        together = together.coalesce()
    if together.is_single_valued() and together.is_injective():
        return True
    first, second = ends(pairs)
    exchanged = second.range_product(first).intersect_range(together.reverse().wrap())
    return bool(pairs.uncurry().is_single_valued()) and bool(exchanged.uncurry().is_single_valued())
