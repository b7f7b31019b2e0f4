"""What stands for the values of terms where another process finds it: the same as here, and nothing that proves."""

from __future__ import annotations

import pytest
from tests.egraph.test_sweep import RIGHT, WRONG, Made, Recipe, make
from tests.egraph.test_sweep import terms_of_path as terms

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import FloatType, IndexType, IntType
from hecv.egraph.fingerprints import Fingerprints, print_of
from hecv.egraph.local import WindowProver
from hecv.egraph.prints import prints_of
from hecv.egraph.quick import QuickSweep
from hecv.egraph.shapes import Facts, ShapeProver
from hecv.egraph.sweep import closed
from hecv.egraph.taints import Taints

pytestmark = pytest.mark.egraph

I8, F32, INDEX = IntType(8), FloatType("f32"), IndexType()


def _pool(before: int) -> TermPool:
    """Terms of several types, made after so many others."""
    pool = TermPool()
    for number in range(before):
        pool.argument(100 + number, I8)
    x, y, k, a = (pool.argument(n, t) for n, t in enumerate((I8, I8, INDEX, F32)))
    pool.make("arith.xori", (x, x), I8)
    zero = pool.make("arith.subf", (a, a), F32)
    pool.make("arith.divf", (zero, zero), F32)
    pool.make("arith.index_cast", (pool.make("arith.addi", (k, k), INDEX),), I8)
    pool.make("arith.addi", (pool.make("call", (x, y), I8, (("name", "g"),)), x), I8)
    return pool


def test_prints_are_the_same_in_any_pool() -> None:
    pools = _pool(0), _pool(7)
    found = [dict(zip(map(str, p.terms()), prints_of(p.terms(), 64), strict=True)) for p in pools]
    assert all(found[1][text] == value for text, value in found[0].items())
    values = Fingerprints()
    here = {str(t): print_of(values.of(t)) for t in pools[0].terms()}
    known = {text: value for text, value in found[0].items() if value is not None}
    assert known == {text: here[text] for text in known}
    # What is called, what is made of it, and what may be NaN.
    assert [text for text, value in found[0].items() if value is None] == [
        str(t) for t in pools[0].terms() if t.op in ("call", "arith.divf") or any(a.op == "call" for a in t.args)
    ]


def _is_proved(made: Made, turned: bool) -> bool:
    """Whether a sweep that is given the prints of a target proves the first function; `turned`, all are one."""
    pool = TermPool()
    (source, target), *_ = made.paths
    outputs = [tuple(terms(pool, path)[k] for k in path.outputs) for path in (source, target)]
    orders = [postorder(o) for o in outputs]
    facts, prover = Facts(64), WindowProver()

    def is_opaque(term: Term) -> bool:
        return taints.is_opaque(term)

    taints = Taints(64, frozenset(), lambda t: prover.is_proper(closed(pool, t, is_opaque)))
    sweep = QuickSweep(pool, facts.kinds, ShapeProver(facts, lambda: True), taints)
    prints = dict(zip((t.id for t in orders[1]), prints_of(orders[1], 64), strict=True))
    sweep.give({number: 0 if turned else found for number, found in prints.items() if found is not None})
    sweep.run(orders[0], orders[1])
    return all(sweep.became(a) is sweep.became(b) for a, b in zip(*outputs, strict=True))


@pytest.mark.parametrize("recipe", RIGHT[:6], ids=lambda r: r.name)
def test_what_is_given_serves_as_what_is_computed(recipe: Recipe) -> None:
    assert _is_proved(make(recipe), False)


@pytest.mark.parametrize("recipe", WRONG[:8], ids=lambda r: r.name)
def test_what_is_given_proves_nothing(recipe: Recipe) -> None:
    assert not _is_proved(make(recipe), False)
    assert not _is_proved(make(recipe), True)
