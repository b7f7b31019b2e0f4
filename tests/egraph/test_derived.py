"""Laws that the book calls derived need no rule of their own: normal forms hold them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hecv.base.term import Term, TermPool
from hecv.egraph.saturation.runner import Budget
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.laws.all_laws import DERIVED, LAWS
from hecv.patterns.equations.equations import Number, Operation, Pattern, Variable, variables
from hecv.patterns.equations.law_record import Instance, Law, integer

ENGINE = TermEngine(LAWS, Budget(iterations=0, nodes=0, seconds=1.0))
"""An engine that may not apply a law: what it proves, it proves by normal forms."""

LITERALS = ((0x35, 0x0F), (0xF0, 0x3C), (0x01, 0x80))


def as_term(pattern: Pattern, pool: TermPool, literals: Mapping[str, int]) -> Term:
    """A pattern over leaves, with values for its literals."""
    match pattern:
        case Variable(name=name, kind=kind, literal=True):
            return pool.integer(literals[name], kind.type)
        case Variable(name=name, kind=kind):
            return pool.make("leaf", (), kind.type, (("number", sum(map(ord, name))),))
        case Number(value=int(value), kind=kind):
            return pool.integer(value, kind.type)
        case Operation(op=op, args=args, kind=kind, attrs=attrs):
            return pool.make(op, tuple(as_term(a, pool, literals) for a in args), kind.type, attrs)
        case _:
            raise AssertionError(pattern)


def holds(instance: Instance, values: tuple[int, int]) -> bool:
    equation, pool = instance.equation, TermPool()
    assert equation.where is None and not equation.given
    bits = (1 << instance.kinds[0].width) - 1
    names = [hole.name for hole in variables(equation.left).values() if hole.literal]
    literals = {name: value & bits for name, value in zip(names, values, strict=False)}
    return ENGINE.equal(*(as_term(side, pool, literals) for side in (equation.left, equation.right))).proved


@pytest.mark.parametrize("law", DERIVED, ids=lambda law: law.name)
def test_derived_law_follows_from_normal_forms(law: Law) -> None:
    found = list(law.instances([integer(width) for width in (1, 8, 32, 64)]))
    assert found
    assert all(holds(instance, values) for instance in found for values in LITERALS)
