"""Other ways to compute an operator: each has the operator's value, and windows that need them are decided."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import IntType
from hecv.egraph.normal_forms.integer_identities import LAWS, Alternatives
from hecv.egraph.normal_forms.integer_terms import Maker
from hecv.patterns.equations.constant_folding import Folder
from hecv.smt.term_equality import EqualValues
from hecv.sweep.cut_sweeping.shape_prover import SmallForms

from .terms import PREDICATES, value

EXTREMA = ("maxsi", "maxui", "minsi", "minui")
MANY = ("addi", "subi", "muli", "andi", "ori", "xori", *EXTREMA)
CASTS = ("arith.extui", "arith.extsi", "arith.trunci")


def _leaf(pool: TermPool, number: int, width: int) -> Term:
    return pool.make("leaf", (), IntType(width), (("number", number), ("proper", True)))


def _with_literals(make: Maker, x: Term, y: Term, width: int) -> Iterator[Term]:
    """Shifts and quotients by literals."""
    for op in ("divui", "remui", "divsi"):
        yield from (make(op, x, make.number(1 << k, x.type)) for k in range(width))
    for k in range(width):
        by = make.number(k, x.type)
        yield make("shrsi", x, by)
        inner = [make(op, x, y) for op in ("andi", "ori", "xori")]
        inner += [make("shrui", x, make.number(j, x.type)) for j in range(width)]
        inner += [make.cast("arith.extui", make.cast("arith.trunci", x, IntType(j)), x.type) for j in range(1, width)]
        yield from (make("shrui", z, by) for z in (*inner, make.number(5, x.type)))


def _casts(make: Maker, x: Term, y: Term, width: int) -> Iterator[Term]:
    """Casts of operators and of casts."""
    inner = [make(op, x, y) for op in ("andi", "ori", "xori", "addi", "subi", "muli")]
    inner += [make.cast(op, x, IntType(width + 2)) for op in CASTS[:2]]
    inner += [make.cast("arith.trunci", x, IntType(width - 1))] if width > 1 else []
    for z in (x, *inner):
        assert isinstance(z.type, IntType)
        yield from (make.cast(op, z, IntType(z.type.width + k)) for op in CASTS[:2] for k in (1, 3))
        yield from (make.cast("arith.trunci", z, IntType(k)) for k in range(1, z.type.width))


def _terms(pool: TermPool, width: int) -> list[Term]:
    """Terms at whose roots the laws apply, over leaves `0` and `1` of a width, and a bit."""
    make = Maker(pool)
    x, y, bit = _leaf(pool, 0, width), _leaf(pool, 1, width), _leaf(pool, 2, 1)
    found = [*_with_literals(make, x, y, width), *_casts(make, x, y, width), make("select", bit, x, y)]
    found += [make(op, x, y) for op in EXTREMA]
    for predicate in PREDICATES:
        compared = make.compare(predicate, x, y)
        turned = make("xori", compared, make.number(1, IntType(1)))
        found += [compared, *[make("select", c, *two) for c in (compared, turned) for two in ((x, y), (y, x))]]
    return found


@pytest.mark.parametrize("width", [1, 2, 3])
def test_values_are_the_same(width: int) -> None:
    pool, folder = TermPool(), Folder()
    alternatives, used = Alternatives(pool), set[str]()
    for term in _terms(pool, width):
        for other in alternatives.of(term):
            used.add(term.op)
            assert other.type == term.type
            for x, y, bit in product(range(1 << width), range(1 << width), range(2)):
                at = {0: x, 1: y, 2: bit}
                assert value(term, at, folder) == value(other, at, folder), (term, other, at)
    assert used == {*LAWS, *(f"arith.{op}" for op in EXTREMA)} or width < 3


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_z3_proves_them(width: int) -> None:
    pool, solver = TermPool(), EqualValues()
    alternatives = Alternatives(pool)
    for term in _terms(pool, width)[:: width // 4]:
        for other in alternatives.of(term):
            assert solver.ask(term, other, 2_000), (term, other)


def test_windows_by_normal_form() -> None:
    pool = TermPool()
    make, alternatives = Maker(pool), Alternatives(pool)
    x, y, z = (_leaf(pool, k, 64) for k in range(3))
    bit = _leaf(pool, 3, 1)
    least = make("minsi", y, z)
    mask = make("andi", make("xori", x, y), make.cast("arith.extsi", bit, x.type))
    pairs = [
        (make("minsi", make("minsi", x, y), z), make("select", make.compare("sle", x, least), x, least)),
        (make("select", bit, x, y), make("xori", mask, y)),
        (make("divui", x, make.number(32, x.type)), make("shrui", x, make.number(5, x.type))),
        (make.cast("arith.extui", bit, x.type), make("select", bit, make.number(1, x.type), make.number(0, x.type))),
    ]
    for left, right in pairs:
        assert SmallForms(alternatives, 64).same(left, right), (left, right)
        assert not SmallForms(alternatives, 64).same(left, make("addi", right, make.number(1, x.type)))


def _random(make: Maker, leaves: tuple[Term, Term, Term], rng: random.Random) -> Term:
    """A term of operators that have other ways or normal forms."""
    x, y, bit = leaves
    values, bits = [x, y, make.number(rng.randrange(8), x.type), make.number(-1, x.type)], [bit]
    for _ in range(rng.randrange(1, 6)):
        first, second = rng.choice(values), rng.choice(values)
        kind = rng.randrange(8)
        if kind == 0:
            bits.append(make.compare(rng.choice(PREDICATES), first, second))
        elif kind == 1:
            values.append(make("select", rng.choice(bits), first, second))
        elif kind == 2:
            values.append(make.cast(rng.choice(CASTS[:2]), rng.choice(bits), x.type))
        elif kind == 3:
            by = make.number(rng.randrange(2), x.type)
            values.append(make(rng.choice(("shrsi", "shrui", "shli")), first, by))
        elif kind == 4:
            values.append(make.cast("arith.trunci", make.cast(rng.choice(CASTS[:2]), first, IntType(5)), x.type))
        else:
            values.append(make(rng.choice((*MANY, *EXTREMA)), first, second))
    return values[-1]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(8))
def test_one_normal_form_is_one_value(seed: int) -> None:
    rng, pool, folder = random.Random(seed), TermPool(), Folder()
    width = rng.choice((1, 2, 3))
    make, alternatives = Maker(pool), Alternatives(pool)
    leaves = _leaf(pool, 0, width), _leaf(pool, 1, width), _leaf(pool, 2, 1)
    ats = [dict(enumerate(at)) for at in product(range(1 << width), range(1 << width), range(2))]
    groups: dict[tuple[int | float, ...], list[Term]] = {}
    made = list({t.id: t for t in (_random(make, leaves, rng) for _ in range(60))}.values())
    columns = {t.id: tuple(value(t, at, folder) for at in ats) for t in made}
    for term in made:
        groups.setdefault(columns[term.id], []).append(term)
    for left, right in product(made[:8], made):
        if SmallForms(alternatives, 64).same(left, right):
            assert columns[left.id] == columns[right.id], (left, right)
    alike = [g for g in groups.values() if len(g) > 1]
    assert any(SmallForms(alternatives, 64).same(g[0], g[1]) for g in alike)
