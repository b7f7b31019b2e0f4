"""Instances of the two programs that evaluate an operator on the same operands, as far as their places show it.

An operator that may be undefined and that has no effect (an assertion, a division whose value is not used) is reached
by no dataflow. Which instances of the other program evaluate it alike is guessed here, and then proved.
"""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from hecv.base.term import Term
from hecv.base.types import INDEX
from hecv.poly.dataflow import Isl
from hecv.poly.space import NotAffine
from hecv.poly.statements import Instances


def same_operands(space: Isl, source: Instances, left: Term, target: Instances, right: Term) -> isl.Map:
    """The instances at which the terms read the same elements and have equal indices, wherever both are built alike."""
    equal = list(_equalities(source, left, target, right))
    where = " and ".join([source.domain_text(), target.domain_text(), *equal])
    text = f"{{ {source.tuple_text()} -> {target.tuple_text()} : {where} }}"
    return space.coalesced(space.map(text).intersect_params(space.known))


def _equalities(source: Instances, left: Term, target: Instances, right: Term) -> Iterator[str]:
    pairs = [(left, right)]
    seen: set[tuple[int, int]] = set()
    while pairs:
        one, two = pairs.pop()
        if (one.id, two.id) in seen:
            continue
        seen.add((one.id, two.id))
        if one.op == "load" and two.op == "load":
            first, second = source.reads[one], target.reads[two]
            if first.array == second.array:
                yield from (f"{i} = {j}" for i, j in zip(first.indices, second.indices, strict=True))
        elif one.type == two.type == INDEX and (text := _equal(source, one, target, two)):
            yield text
        elif one.op == two.op and len(one.args) == len(two.args):
            pairs.extend(zip(one.args, two.args, strict=True))


def _equal(source: Instances, left: Term, target: Instances, right: Term) -> str | None:
    try:
        return f"{source.translator.index(left).text} = {target.translator.index(right).text}"
    except NotAffine:
        return None
