"""The checker's arithmetic over the reals: what it calls equal is, and without a value nothing is shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from tests.elements import test_cases
from tests.elements.test_cases import EQUIVALENT as CASES
from tests.elements.test_prove import (
    BITS,
    DIFFERENT,
    EQUIVALENT,
    FLAGGED,
    LITERALS,
    NOT_TAKEN,
    PARTIAL,
    SCALED,
    flagged,
    op_lines,
    scalar,
)

from hecv.base.term import Term, TermPool
from hecv.check import Options as Asked
from hecv.check import check
from hecv.claim.semantic_options import Switches
from hecv.kernel.certificate.file_format import Elements, FunctionProof, Options
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.reals.elementwise_check import compared, replay_elements
from hecv.kernel.reals.real_algebra import Algebra, Value
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import parse, read_pair
from hecv.replaying import Pair, check_function

Real = Callable[[float, float], float]
POINTS = ((0.7, 1.3), (-0.4, 2.1), (1.9, -1.1), (-2.2, -0.3), (0.3, 0.3))


NOT_BY_CASES = {
    *("exponentials-in-order", "root-by-a-logarithm", "hyperbolic", "arms-that-are-not-taken"),
    *("a-multiple-of-what-is-zero", "a-product-that-is-zero"),
}
"""They need more than signs of what is compared, or have an arm without a value that is not taken."""


def replayed(source: str, target: str, count: int = 1) -> bool:
    """Whether the converse is shown, too.

    Raises: Rejected.
    """
    pool = TermPool()
    both = read_pair((parse(source, "s.mlir"), parse(target, "t.mlir")), ("f", "f"), pool)
    return replay_elements(pool, both, count, 64)


def sides(lines: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[str, str]:
    return scalar(op_lines(*lines[0])), scalar(op_lines(*lines[1]))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EQUIVALENT)
def test_what_is_equal_is_shown_both_ways(name: str) -> None:
    source, target = sides(EQUIVALENT[name])
    assert replayed(source, target) and replayed(target, source)
    with pytest.raises(Rejected, match="there are 1 of them"):
        replayed(source, target, 2)


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_is_not_shown(name: str) -> None:
    with pytest.raises(Rejected, match="the expressions are not equal"):
        replayed(*sides(DIFFERENT[name]))


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_what_is_not_taken_shows_nothing(name: str) -> None:
    with pytest.raises(Rejected):
        replayed(*(scalar(body, BITS) for body in NOT_TAKEN[name]))


@pytest.mark.parametrize("name", PARTIAL)
def test_a_target_without_a_value_is_not_shown(name: str) -> None:
    source, target = sides(PARTIAL[name])
    with pytest.raises(Rejected, match="may have no value"):
        replayed(source, target)
    assert not replayed(target, source)


@pytest.mark.parametrize("name", FLAGGED)
def test_a_flag_that_makes_poison_is_read(name: str) -> None:
    source, target = flagged(name)
    with pytest.raises(Rejected, match="poison"):
        replayed(source, target)
    assert replayed(source, source)


@pytest.mark.parametrize(("kind", "one", "other"), LITERALS)
def test_two_literals_do_not_stand_for_one_number(kind: str, one: str, other: str) -> None:
    texts = [SCALED.replace("TYPE", kind).replace("LITERAL", literal) for literal in (one, other)]
    with pytest.raises(Rejected):
        replayed(*texts)
    assert replayed(texts[1], texts[1])


def test_what_is_made_of_an_arm_without_a_value_says_nothing() -> None:
    """As an expression the divisor is 0 only where `y` is; the source does not divide by `y` where that is 0."""
    divisor = ("c = cmp.oeq y zero", "q = arith.divf x y", "d = select c x q")
    source = scalar(op_lines(*divisor, "r = arith.divf one d"))
    target = scalar(op_lines(*divisor, "p = arith.divf one d", "s = arith.addf p q", "r = arith.subf s q"))
    with pytest.raises(Rejected, match="may have no value"):
        replayed(source, target)


def test_what_is_asserted_of_an_arm_without_a_value_says_nothing() -> None:
    lines = """  %b = arith.cmpf oeq, %y, %zero : f32
  %q = arith.divf %x, %y : f32
  %d = arith.select %b, %x, %q : f32
  %e = arith.cmpf one, %d, %zero : f32
  cf.assert %e, "it is not 0"
"""
    source, target = (
        scalar(lines + op_lines(*more))
        for more in (("r = arith.addf x one",), ("s = arith.addf x q", "t = arith.subf s q", "r = arith.addf t one"))
    )
    with pytest.raises(Rejected, match="may have no value"):
        replayed(source, target)


BY_CASES = {name: lines for name, lines in CASES.items() if name not in NOT_BY_CASES}


@pytest.mark.parametrize("name", BY_CASES)
def test_what_is_equal_by_cases(name: str) -> None:
    source, target = sides(BY_CASES[name])
    assert replayed(source, target) and replayed(target, source)


@pytest.mark.parametrize("name", [*test_cases.DIFFERENT, *test_cases.PARTIAL])
def test_what_differs_in_a_case(name: str) -> None:
    with pytest.raises(Rejected):
        replayed(*sides({**test_cases.DIFFERENT, **test_cases.PARTIAL}[name]))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_shown_of_random_terms_holds(seed: int) -> None:
    """Terms with selections, by cases or without; at all points at which the source has a value."""
    random, shown = Random(seed), 0
    for _ in range(8):
        found = test_cases.drawn(TermPool(), random)[4:]
        for source, target in product(found, found):
            if source is target or not refines(source, target):
                continue
            shown += 1
            for point in test_cases.POINTS:
                try:
                    expected = test_cases.value(source, point)
                except (ValueError, ArithmeticError):
                    continue
                assert test_cases.value(target, point) == pytest.approx(expected, abs=1e-9), (source, target, point)
    assert shown


def refines(source: Term, target: Term) -> bool:
    try:
        compared([(source, target)], ((), ()), [""])
    except Rejected:
        return False
    return True


def test_a_certificate_holds_over_the_reals_only() -> None:
    source, target = sides(EQUIVALENT["softmax"])
    asked = Asked(switches=Switches(floats="real"), recording=True)
    made = check(source, target, ("s.mlir", "t.mlir"), asked).functions[0].certificate
    assert made is not None and made.proof == Elements(1)
    pair = Pair((parse(source, "s.mlir"), parse(target, "t.mlir")), ("f", "f"), ())
    check_function(pair, made, Options(floats="real"), Solver())
    for floats in ("strict", "reassoc"):
        with pytest.raises(Rejected):
            check_function(pair, made, Options(floats=floats), Solver())
    with pytest.raises(Rejected):
        check_function(pair, FunctionProof("f", "f", "equivalent", Elements(0)), Options(floats="real"), Solver())


# The laws, by values


def grown(random: Random, algebra: Algebra, known: list[tuple[Value, Real]]) -> tuple[Value, Real]:
    """An expression over earlier ones, and what it computes; NaN where it has no value."""
    (a, f), (b, g) = random.choice(known), random.choice(known)
    half = Fraction(random.choice((-3, -1, 1, 2)), random.choice((1, 2)))
    match random.randrange(12):
        case 0:
            return algebra.add(((a, 1), (b, half))), lambda x, y: f(x, y) + float(half) * g(x, y)
        case 1 | 2:
            return algebra.multiply(a, b), lambda x, y: f(x, y) * g(x, y)
        case 3 | 4 if a != algebra.zero:
            return algebra.inverse(a), lambda x, y: 1 / f(x, y) if f(x, y) else math.nan
        case 5:
            return algebra.exponential(a), lambda x, y: math.exp(f(x, y)) if abs(f(x, y)) < 300 else math.nan
        case 6 if a != algebra.zero:
            return algebra.logarithm(a), lambda x, y: math.log(f(x, y)) if f(x, y) > 0 else math.nan
        case 7 | 8:
            return algebra.root(a), lambda x, y: math.sqrt(f(x, y)) if f(x, y) >= 0 else math.nan
        case 9:
            return algebra.positive_part(a), lambda x, y: f(x, y) if f(x, y) > 0 else f(x, y) * 0
        case 10:
            return algebra.is_positive(a), lambda x, y: math.nan if math.isnan(f(x, y)) else float(f(x, y) > 0)
        case 11:
            return algebra.magnitude(a), lambda x, y: abs(f(x, y))
        case _:
            return a, f


@pytest.mark.parametrize("seed", range(12))
def test_expressions_that_are_equal_have_equal_values(seed: int) -> None:
    random, algebra = Random(seed), Algebra()
    known: list[tuple[Value, Real]] = [
        (algebra.leaf("leaf", 0), lambda x, y: x),
        (algebra.leaf("leaf", 1), lambda x, y: y),
        (algebra.one, lambda x, y: 1.0),
        (algebra.number(2), lambda x, y: 2.0),
    ]
    while len(known) < 40:
        try:
            known.append(grown(random, algebra, known[-14:] + known[:4]))
        except Rejected:
            continue
    values = [[_at(f, point) for point in POINTS] for _, f in known]
    pairs = 0
    for k, (left, _) in enumerate(known):
        for n, (right, _) in enumerate(known[:k]):
            if left == right or algebra.equal(left, right):
                pairs += 1
                assert all(map(_close, values[k], values[n])), (k, n, values[k], values[n])
    assert pairs


def _at(function: Real, point: tuple[float, float]) -> float:
    try:
        return function(*point)
    except (OverflowError, ZeroDivisionError):
        return math.nan


def _close(one: float, other: float) -> bool:
    """Whether two values are equal up to rounding, or one is none, or rounding may have made it so."""
    undecided = any(math.isnan(v) or abs(v) > 1e6 for v in (one, other))
    return undecided or math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-5)
