"""Terms that are sent are those of the pool that they are sent to."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import IntType
from hecv.process.term_transfer import packed, unpacked

I8 = IntType(8)


def _sum(pool: TermPool, first: int, second: int) -> Term:
    x, y = pool.argument(first, I8), pool.argument(second, I8)
    return pool.make("arith.addi", (x, y), I8, (("overflow", "nsw"),))


def _sent(pool: TermPool, value: Any, ordered: bool, other: TermPool) -> Any:
    parcel = pickle.loads(pickle.dumps(packed(pool, value)))
    return unpacked(other, parcel, lambda op: ordered)


@pytest.mark.parametrize("ordered", [False, True])
def test_terms_are_made_in_the_order_in_which_they_were_made_there(ordered: bool) -> None:
    there, here = TermPool(), TermPool()
    here.argument(7, I8)
    value = {"sums": [_sum(there, 0, 1), _sum(there, 1, 2)], "leaf": there.argument(2, I8), "type": I8}
    found = _sent(there, value, ordered, here)
    assert [t.id for t in found["sums"]] == [3, 5]
    assert found["sums"] == [_sum(here, 0, 1), _sum(here, 1, 2)]
    assert (found["leaf"], found["type"]) == (here.argument(2, I8), I8)
    assert len(here.terms()) == len(there.terms()) + 1


def test_types_are_those_that_are_known_here() -> None:
    there, here = TermPool(), TermPool()
    known = IntType(8)
    here.argument(0, known)
    assert _sent(there, [there.argument(1, IntType(8))], False, here)[0].type is known


def test_operands_in_another_order_are_not_taken_where_order_counts() -> None:
    there, here = TermPool(), TermPool()
    here.argument(1, I8)
    value = _sum(there, 0, 1)
    assert _sent(there, value, True, here) is None
    assert _sent(there, value, False, here) is _sum(here, 0, 1)
