"""Bounds of terms hold for all values of their leaves, and what they license has the value of what it stands for."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import IntType
from hecv.egraph.normal_forms import range_identities
from hecv.egraph.normal_forms.integer_identities import Alternatives
from hecv.egraph.normal_forms.integer_terms import Maker, width
from hecv.ops import facts_about
from hecv.ops.facts.known_bits import TermBounds
from hecv.ops.integer_bounds import Bounds, bounds
from hecv.patterns.equations.constant_folding import Folder
from hecv.smt.term_equality import EqualValues

from .terms import PREDICATES, value

BY_LITERAL = ("shli", "shrui", "shrsi", "divui", "remui", "divsi", "remsi")
MANY = ("andi", "ori", "xori", "addi", "subi", "muli", "minui", "maxui", "minsi", "maxsi")
DIVISIONS = ("divui", "remui", "divsi", "remsi", "floordivsi", "ceildivsi", "ceildivui")
CASTS = ("arith.extui", "arith.extsi", "arith.trunci")


def _leaf(pool: TermPool, number: int, bits: int) -> Term:
    return pool.make("leaf", (), IntType(bits), (("number", number), ("proper", True)))


def _signed(number: int, bits: int) -> int:
    return number - (number >> (bits - 1) << bits)


def _has(found: Bounds, number: int) -> bool:
    known = not number & found.zeros and number & found.ones == found.ones
    return known and found.low <= number <= found.high and found.least <= _signed(number, found.width) <= found.most


def _all_bounds(bits: int) -> list[Bounds]:
    """Bounds of a width: by known bits, by unsigned and by signed ranges."""
    numbers, half = range(1 << bits), 1 << (bits - 1)
    found = [bounds(bits, zeros, ones) for zeros, ones in product(numbers, numbers) if not zeros & ones]
    found += [bounds(bits, unsigned=(low, high)) for low, high in product(numbers, numbers) if low <= high]
    ends = range(-half, half)
    return [*found, *(bounds(bits, signed=(low, high)) for low, high in product(ends, ends) if low <= high)]


def _operators(pool: TermPool, bits: int) -> Iterator[Term]:
    """Every operator that has bounds, on leaves of a width, or of more and of fewer bits."""
    make, x, y = Maker(pool), _leaf(pool, 0, bits), _leaf(pool, 1, bits)
    yield from (make(op, x, y) for op in (*MANY, *DIVISIONS))
    yield from (make.compare(predicate, x, y) for predicate in PREDICATES)
    for op in BY_LITERAL:
        least, most = (1, 1 << (bits - 1)) if op[0] in "dr" else (0, bits)
        yield from (make(op, x, make.number(k, x.type)) for k in range(least, most))
    yield from (make.cast(op, x, IntType(bits + 2)) for op in CASTS[:2])
    yield from (make.cast("arith.trunci", x, IntType(k)) for k in range(1, bits))


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_bounds_of_every_operator(bits: int) -> None:
    pool, folder, rng = TermPool(), Folder(), random.Random(bits)
    ranges = list(dict.fromkeys(_all_bounds(bits)))
    inside = {b: [n for n in range(1 << bits) if _has(b, n)] for b in ranges}
    assert all(inside.values())
    for term in _operators(pool, bits):
        two = len(term.args) == 2 and term.args[1].op == "leaf"
        pairs = list(product(ranges, ranges if two else ranges[:1]))
        table = {(x, y): value(term, {0: x, 1: y}, folder) for x, y in product(range(1 << bits), repeat=2)}
        for a, b in pairs if len(pairs) < 1_000 else rng.sample(pairs, 1_000):
            second = b if two else TermBounds().of(term.args[-1])
            found = facts_about(term.op).bounds(term, width(term.type), [a, second] if len(term.args) == 2 else [a])
            results = {table[x, y] for x in inside[a] for y in (inside[b] if two else (0,))}
            assert all(isinstance(r, int) and _has(found, r) for r in results), (term, a, b)


def _random(make: Maker, leaves: list[Term], rng: random.Random, size: int) -> list[Term]:
    """Terms, each made of earlier ones."""
    found = list(leaves)
    for _ in range(size):
        x = rng.choice([t for t in found if width(t.type) > 1] or found)
        same = [t for t in found if t.type == x.type]
        y = rng.choice(same)
        match rng.randrange(6):
            case 0 | 1:
                found.append(make(rng.choice(MANY), x, y))
            case 2 | 3:
                op, bits = rng.choice(BY_LITERAL), width(x.type)
                ends = (1, max(1, (1 << (bits - 1)) - 1)) if op[0] in "dr" else (0, bits - 1)
                number = rng.choice([1 << rng.randrange(bits - 1 or 1), rng.randint(*ends)]) if op[0] in "dr" else None
                amount = rng.randint(*ends) if number is None else number
                found.append(make(op, x, make.number(amount, x.type)) if bits > 1 else x)
                mask = rng.choice([rng.getrandbits(bits), (1 << rng.randint(1, bits)) - 1])
                found.append(make("andi", x, make.number(mask, x.type)))
            case 4:
                bits = width(x.type)
                to = rng.choice([max(1, bits // 2), bits, 2 * bits])
                op = "arith.trunci" if to < bits else rng.choice(CASTS[:2])
                found.append(make.cast(op, x, IntType(to)) if to != bits and to <= 64 else x)
            case _:
                bit = make.compare(rng.choice(PREDICATES), x, y)
                found += [bit, make("select", bit, x, rng.choice(same))]
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(6))
def test_bounds_and_what_they_license(seed: int) -> None:
    rng, folder = random.Random(seed), Folder()
    pool, bits = TermPool(), rng.choice([2, 3])
    alternatives = Alternatives(pool)
    leaves = [_leaf(pool, 0, bits), _leaf(pool, 1, bits), _leaf(pool, 2, 1)]
    for term in _random(Maker(pool), leaves, rng, 60):
        found, others = alternatives.bounds.of(term), alternatives.of(term)
        for x, y, bit in product(range(1 << bits), range(1 << bits), range(2)):
            at = {0: x, 1: y, 2: bit}
            number = value(term, at, folder)
            assert isinstance(number, int) and _has(found, number), (term, at, found)
            assert all(value(other, at, folder) == number for other in others), (term, at, others)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_z3_proves_what_bounds_license(bits: int) -> None:
    pool, solver, used = TermPool(), EqualValues(), set[str]()
    alternatives, rng = Alternatives(pool), random.Random(bits)
    for _ in range(12):
        leaves = [_leaf(pool, k, bits) for k in range(3)]
        for term in _random(Maker(pool), leaves, rng, 14):
            law = range_identities.law_of(term.op)
            if law is None:
                continue
            args = [alternatives.bounds.of(a) for a in term.args]
            for other in law(Maker(pool), term, args):
                used.add(term.op)
                assert solver.ask(term, other, 2_000) is not False, (term, other)
    assert len(used) > 3


def test_every_law_is_used_where_it_is_to_be() -> None:
    pool = TermPool()
    make, laws = Maker(pool), Alternatives(pool)
    x, y, small = _leaf(pool, 0, 32), _leaf(pool, 1, 32), make.cast("arith.extui", _leaf(pool, 2, 8), IntType(32))
    high, five = make("shli", x, make.number(8, x.type)), make.number(5, x.type)
    minus = make("ori", y, make.number(1 << 31, x.type))
    for term, other in [
        (make("andi", small, make.number(255, x.type)), small),
        (make("ori", high, small), make("addi", high, small)),
        (make("xori", high, small), make("addi", high, small)),
        (make("addi", high, small), make("xori", high, small)),
        (make("subi", make.number(1023, x.type), small), make("xori", make.number(1023, x.type), small)),
        (make("maxsi", small, make.number(0, x.type)), small),
        (make("minsi", minus, x), None),
        (make("minsi", minus, small), minus),
        (make.compare("slt", small, five), make.compare("ult", small, five)),
        (make("select", make.compare("ult", small, make.number(256, x.type)), x, y), x),
        (make("shrsi", small, five), make("shrui", small, five)),
        (make("divsi", small, five), make("divui", small, five)),
        (make("remsi", small, five), make("remui", small, five)),
        (make("remui", small, make.number(256, x.type)), small),
        (make.cast("arith.extsi", small, IntType(64)), make.cast("arith.extui", small, IntType(64))),
        (make("shrui", small, make.number(8, x.type)), make.number(0, x.type)),
    ]:
        assert (other is None) or other in laws.of(term), (term, other)
    assert make("minui", minus, x) not in laws.of(make("minsi", minus, x))
