"""The forms of terms in one width have the values of the terms, whatever these are made of."""

from __future__ import annotations

import random
from itertools import product

import pytest

from hecv.base.term import Term
from hecv.base.types import INDEX, IntType, ScalarType
from hecv.egraph.normal_forms.integer_narrowing import in_one_width
from hecv.patterns.equations.constant_folding import Folder

from .terms import BINARY, PREDICATES, Terms, value

INDEX_WIDTH = 6
WIDTHS: tuple[ScalarType, ...] = (IntType(1), IntType(2), IntType(3), IntType(5), IntType(8), INDEX)


def _bits(kind: ScalarType) -> int:
    return kind.width if isinstance(kind, IntType) else INDEX_WIDTH


def _cast(terms: Terms, x: Term, to: ScalarType, rng: random.Random) -> Term:
    given, wanted = _bits(x.type), _bits(to)
    if x.type == to:
        return x
    if INDEX in (x.type, to):
        return terms.op(rng.choice(("index_cast", "index_castui")), x, to=to)
    return terms.op("trunci" if wanted < given else rng.choice(("extui", "extsi")), x, to=to)


def _random(terms: Terms, rng: random.Random, size: int) -> list[Term]:
    """Terms, each made of earlier ones, of all widths."""
    found = [terms.leaf(0, IntType(2)), terms.leaf(1, IntType(3)), terms.leaf(2, IntType(1))]
    for _ in range(size):
        x = rng.choice(found[-6:])
        y = _cast(terms, rng.choice(found[-6:]), x.type, rng)
        match rng.randrange(8):
            case 0:
                literal = terms.literal(rng.randrange(-(1 << _bits(x.type) - 1), 1 << _bits(x.type) - 1), x.type)
                found.append(terms.op(rng.choice(("andi", "minui", "remui", "maxui")), x, literal))
            case 1:
                bit = terms.compare(rng.choice(PREDICATES), x, y)
                found += [bit, terms.choose(bit, x, y)]
            case 2 | 3 | 4:
                found.append(_cast(terms, x, rng.choice(WIDTHS), rng))
            case _:
                found.append(terms.op(rng.choice(BINARY), x, y))
    return found


@pytest.mark.one_in(10)
@pytest.mark.parametrize("seed", range(12))
def test_forms_have_the_values_of_terms(seed: int) -> None:
    rng, folder = random.Random(seed), Folder(INDEX_WIDTH)
    for _ in range(5):
        terms = Terms(IntType(3))
        order = _random(terms, rng, 24)
        widths = in_one_width(terms.pool, tuple(order), INDEX_WIDTH)
        if widths is None:
            continue
        for term, x, y, bit in product(order, range(4), range(8), range(2)):
            at = {0: x, 1: y, 2: bit}
            form = widths.plain(term)
            assert form.type == term.type
            assert value(form, at, folder) == value(term, at, folder), (term, form, at)


def _quotient(terms: Terms, narrow: Term, divisor: Term, wide: IntType) -> tuple[Term, Term]:
    """An unsigned quotient in the type of the operands, extended, and that of their extensions."""
    return (
        terms.op("extui", terms.op("divui", narrow, divisor), to=wide),
        terms.op("divui", terms.op("extui", narrow, to=wide), terms.op("extui", divisor, to=wide)),
    )


def test_a_quotient_by_zero_is_another_one_in_another_width() -> None:
    """By what may be 0 forms differ, unless one of the terms is defined; and then they rest on that."""
    terms, wide = Terms(IntType(3)), IntType(8)
    x, y = terms.leaf(0, IntType(3)), terms.leaf(1, IntType(3))
    short, long = _quotient(terms, x, y, wide)
    forms = in_one_width(terms.pool, (short, long), INDEX_WIDTH)
    assert forms is not None and forms.plain(short) is not forms.plain(long)
    for defined in (short, long):
        forms = in_one_width(terms.pool, (short, long), INDEX_WIDTH, (defined,))
        assert forms is not None and forms.rests and forms.plain(short) is forms.plain(long)
    other = terms.op("divui", long, terms.op("extui", x, to=wide))
    forms = in_one_width(terms.pool, (short, long), INDEX_WIDTH, (other.args[1],))
    assert forms is not None and forms.plain(short) is not forms.plain(long)
    positive = terms.op("maxui", y, terms.literal(1))
    short, long = _quotient(terms, x, positive, wide)
    forms = in_one_width(terms.pool, (short, long), INDEX_WIDTH)
    assert forms is not None and not forms.rests and forms.plain(short) is forms.plain(long)
