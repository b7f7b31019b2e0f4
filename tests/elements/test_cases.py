"""Pairs over the reals whose terms are equal in each of several cases, and pairs that are so only in some."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL, FloatType
from hecv.elements.assumed_signs import ANY, NEGATIVE, NIL, POSITIVE
from hecv.elements.fourier_motzkin import is_contradictory
from hecv.elements.real_field import Field
from hecv.elements.real_sums import ONE, Sum
from hecv.elements.sign_cases import Cases

from .test_prove import _report, op_lines, scalar

E = ("n = arith.negf x", "a = math.absf x", "b = arith.negf a", "e = math.exp b")

EQUIVALENT = {
    "relu-by-mask": (
        ("r = arith.maximumf x zero",),
        ("c = cmp.ogt x zero", "m = select c one zero", "r = arith.mulf x m"),
    ),
    "relu-by-mask-that-holds-0": (
        ("r = arith.maximumf x zero",),
        ("c = cmp.oge x zero", "m = select c one zero", "r = arith.mulf x m"),
    ),
    "sign": (
        ("r = math.absf x",),
        (
            "c = cmp.ogt x zero",
            "d = cmp.olt x zero",
            "p = select c one zero",
            "q = select d one zero",
            "s = arith.subf p q",
            "r = arith.mulf x s",
        ),
    ),
    "clamp-either-way": (
        ("t = arith.maximumf x zero", "r = arith.minimumf t two"),
        ("t = arith.minimumf x two", "r = arith.maximumf t zero"),
    ),
    "a-multiple-of-what-is-zero": (
        ("p = arith.mulf x y", "c = cmp.oeq p x", "q = arith.mulf p x", "r = select c q zero"),
        ("p = arith.mulf x y", "c = cmp.oeq p x", "q = arith.mulf x x", "r = select c q zero"),
    ),
    "a-product-that-is-zero": (
        (
            "p = arith.mulf x y",
            "c = cmp.oeq p zero",
            "q = arith.mulf p y",
            "s = arith.addf q one",
            "r = select c s zero",
        ),
        ("p = arith.mulf x y", "c = cmp.oeq p zero", "r = select c one zero"),
    ),
    "clamp-by-selections": (
        ("t = arith.maximumf x zero", "r = arith.minimumf t two"),
        ("c = cmp.ogt x two", "d = cmp.olt x zero", "i = select d zero x", "r = select c two i"),
    ),
    "softplus": (
        ("e = math.exp x", "s = arith.addf e one", "r = math.log s"),
        (*E, "s = arith.addf e one", "l = math.log s", "p = arith.maximumf x zero", "r = arith.addf p l"),
    ),
    "logistic-without-overflow": (
        ("f = math.exp x", "t = arith.addf f one", "r = arith.divf f t"),
        (
            *E,
            "s = arith.addf e one",
            "p = arith.divf one s",
            "q = arith.divf e s",
            "c = cmp.oge x zero",
            "r = select c p q",
        ),
    ),
    "maximum-of-three": (
        ("t = arith.maximumf x y", "r = arith.maximumf t one"),
        ("c = cmp.ogt x y", "t = select c x y", "d = cmp.olt one t", "r = select d t one"),
    ),
    "powers-of-a-magnitude": (("r = arith.mulf x x",), ("a = math.absf x", "r = arith.mulf a a")),
    "exponentials-in-order": (
        ("c = cmp.ogt x y", "r = select c x zero"),
        ("e = math.exp x", "g = math.exp y", "c = cmp.ogt e g", "r = select c x zero"),
    ),
    "root-by-a-logarithm": (
        ("q = arith.mulf x x", "v = arith.addf q eps", "r = math.sqrt v"),
        ("q = arith.mulf x x", "v = arith.addf q eps", "l = math.log v", "h = arith.divf l two", "r = math.exp h"),
    ),
    "hyperbolic": (
        ("r = math.tanh x",),
        ("s = math.sinh x", "c = math.cosh x", "r = arith.divf s c"),
    ),
    # The arm that is not taken divides by 0 at -1 or 1.
    "arms-that-are-not-taken": (
        ("a = math.absf x", "d = arith.addf a one", "r = arith.divf x d"),
        (
            "d = arith.addf one x",
            "m = arith.subf one x",
            "p = arith.divf x d",
            "q = arith.divf x m",
            "c = cmp.ogt x zero",
            "r = select c p q",
        ),
    ),
}
DIFFERENT = {
    "relu-of-the-magnitude": (
        ("r = arith.maximumf x zero",),
        ("c = cmp.one x zero", "m = select c one zero", "r = arith.mulf x m"),
    ),
    "clamp-to-less": (
        ("t = arith.maximumf x zero", "r = arith.minimumf t two"),
        ("t = arith.minimumf x one", "r = arith.maximumf t zero"),
    ),
    "softplus-of-the-magnitude": (
        ("e = math.exp x", "s = arith.addf e one", "r = math.log s"),
        (
            "a = math.absf x",
            "e = math.exp a",
            "s = arith.addf e one",
            "l = math.log s",
            "p = arith.maximumf x zero",
            "r = arith.addf p l",
        ),
    ),
    "exponentials-in-the-other-order": (
        ("c = cmp.ogt x y", "r = select c x zero"),
        ("e = math.exp x", "g = math.exp y", "c = cmp.olt e g", "r = select c x zero"),
    ),
    "a-factor-that-is-zero": (
        ("p = arith.mulf x y", "c = cmp.oeq p x", "r = select c y zero"),
        ("p = arith.mulf x y", "c = cmp.oeq p x", "r = select c one zero"),
    ),
    "a-power-of-a-factor-that-is-zero": (
        ("p = arith.mulf x y", "q = arith.mulf x p", "s = arith.mulf x x", "c = cmp.oeq q s", "r = select c y zero"),
        ("p = arith.mulf x y", "q = arith.mulf x p", "s = arith.mulf x x", "c = cmp.oeq q s", "r = select c one zero"),
    ),
    "cosh-for-sinh": (("r = math.sinh x",), ("r = math.cosh x",)),
    "magnitude-without-its-sign": (("r = arith.mulf x y",), ("a = math.absf x", "r = arith.mulf a y")),
}
PARTIAL = {
    # The target divides by 0 where the source does not, in an arm that is taken.
    "an-arm-that-is-taken": (
        ("r = arith.maximumf x zero",),
        ("c = cmp.ogt x zero", "q = arith.divf y y", "p = arith.mulf q zero", "r = select c x p"),
    ),
    # What is compared has no value where y is 0: that it is positive or not are not all cases.
    "a-comparison-without-a-value": (
        ("r = arith.maximumf x zero",),
        (
            "i = arith.divf one y",
            "d = cmp.ogt i zero",
            "m = arith.maximumf x zero",
            "z = arith.negf m",
            "o = arith.negf z",
            "r = select d m o",
        ),
    ),
    # `exp(log(x))` is `x` only where that is positive.
    "a-comparison-of-a-logarithm": (
        ("r = arith.maximumf x zero",),
        ("l = math.log x", "e = math.exp l", "c = cmp.ogt e zero", "r = select c x zero"),
    ),
    # The condition says that x is positive, not that x - 1 is no zero.
    "a-divisor-that-may-be-0": (
        ("r = arith.maximumf x zero",),
        (
            "d = arith.subf x one",
            "q = arith.divf d d",
            "p = arith.mulf q x",
            "c = cmp.ogt x zero",
            "r = select c p zero",
        ),
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EQUIVALENT)
def test_equal_in_each_case(name: str) -> None:
    source, target = (scalar(op_lines(*lines)) for lines in EQUIVALENT[name])
    report = _report(source, target)
    assert (report.verdict, report.engine) == ("equivalent", "elements")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", DIFFERENT)
def test_different_in_some_case(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    source, target = (scalar(op_lines(*lines)) for lines in DIFFERENT[name])
    assert _report(source, target).verdict == "not-equivalent"


@pytest.mark.parametrize("name", PARTIAL)
def test_a_target_without_a_value_in_some_case(name: str) -> None:
    pool = TermPool()
    source, target = (_term(pool, lines) for lines in PARTIAL[name])
    assert not Cases(Field(100)).decide(source, target).forward


def test_an_arm_without_a_value_is_not_the_whole() -> None:
    """The source has no value where `x` is not 0, and is `y` where it is: there the target is not."""
    pool = TermPool()
    source = _term(pool, ("c = cmp.one x zero", "q = arith.divf one zero", "r = select c q y"))
    wrong, right = _term(pool, ("r = math.absf y",)), _term(pool, ("n = arith.negf y", "r = arith.negf n"))
    assert not Cases(Field(100)).decide(source, wrong).forward
    assert Cases(Field(100)).decide(source, right).forward


FLOAT = FloatType("f64")
UNARY = {
    "math.absf": abs,
    "arith.negf": lambda a: -a,
    "math.exp": math.exp,
    "math.sqrt": math.sqrt,
    "math.log": math.log,
}
BINARY = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: a / b,
    "arith.maximumf": max,
    "arith.minimumf": min,
}
COMPARED = {
    "ogt": lambda a, b: a > b,
    "oge": lambda a, b: a >= b,
    "olt": lambda a, b: a < b,
    "ole": lambda a, b: a <= b,
    "oeq": lambda a, b: a == b,
    "one": lambda a, b: a != b,
}


def _term(pool: TermPool, lines: tuple[str, ...]) -> Term:
    """The term of lines as `op_lines` has them."""
    known = {"x": pool.argument(0, FLOAT), "y": pool.argument(1, FLOAT)}
    known |= {name: pool.real(value, FLOAT) for name, value in (("zero", 0.0), ("one", 1.0), ("two", 2.0))}
    for line in lines:
        result, op, *args = line.replace(" = ", " ").split()
        operands = tuple(known[a] for a in args)
        if op.startswith("cmp."):
            known[result] = pool.make("arith.cmpf", operands, BOOL, (("predicate", op[4:]),))
        else:
            known[result] = pool.make("arith.select" if op == "select" else op, operands, FLOAT)
    return known["r"]


def value(term: Term, point: tuple[float, float]) -> float:
    """The value of a term. Raises: ValueError, ArithmeticError where it has none."""
    number = literal(term)
    if isinstance(number, float):
        return number
    if not term.args:
        return point[int(str(term.attr("number")))]
    if term.op == "arith.select":
        return value(term.args[1 if value(term.args[0], point) else 2], point)
    args = [value(a, point) for a in term.args]
    if term.op == "arith.cmpf":
        return float(COMPARED[str(term.attr("predicate"))](*args))
    return float((UNARY if len(args) == 1 else BINARY)[term.op](*args))


def drawn(pool: TermPool, random: Random) -> list[Term]:
    """Terms with selections, each of some before it; values are few, so that many are equal."""
    found = [pool.argument(0, FLOAT), pool.argument(1, FLOAT), pool.real(0.0, FLOAT), pool.real(1.0, FLOAT)]
    for _ in range(7):
        a, b, c, d = (random.choice(found) for _ in range(4))
        kind = random.random()
        if kind < 0.35:
            bit = pool.make("arith.cmpf", (a, b), BOOL, (("predicate", random.choice([*COMPARED])),))
            found.append(pool.make("arith.select", (bit, c, d), FLOAT))
        elif kind < 0.5:
            found.append(pool.make(random.choice([*UNARY]), (a,), FLOAT))
        else:
            found.append(pool.make(random.choice([*BINARY]), (a, b), FLOAT))
    return found


POINTS = [(x, y) for x in (-2.0, -1.0, 0.0, 0.5, 1.0, 3.0) for y in (-1.5, -1.0, 0.0, 1.0, 2.0)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_shown_by_cases_holds(seed: int) -> None:
    """A target that refines a source has its value wherever the source has one."""
    random = Random(seed)
    shown = 0
    for _ in range(12):
        found = drawn(TermPool(), random)
        cases = Cases(Field(100))
        for source in found[4:]:
            for target in found[4:]:
                if source is target or not cases.decide(source, target).forward:
                    continue
                shown += 1
                for point in POINTS:
                    try:
                        expected = value(source, point)
                    except (ValueError, ArithmeticError):
                        continue
                    assert value(target, point) == pytest.approx(expected, rel=1e-6, abs=1e-6), (source, target, point)
    assert shown


def _xy() -> tuple[Field, Sum, Sum]:
    f = Field(100)
    return f, f.atom("leaf", 0), f.atom("leaf", 1)


def test_signs_by_form() -> None:
    f, x, y = _xy()
    square = f.multiply(x, x)
    assert f.sign(x) == ANY
    assert f.sign(square) == POSITIVE | NIL
    assert f.sign(f.add(((square, 1), (ONE, 1)))) == POSITIVE
    assert f.sign(f.scale(f.exponential(y), -2)) == NEGATIVE
    assert f.sign(f.subtract(square, ONE)) == ANY
    assert f.sign(f.root(y)) == POSITIVE | NIL
    assert f.sign(f.multiply(f.exponential(y), x)) == ANY
    assert f.sign(f.inverse(f.add(((f.exponential(y), 1), (ONE, 1))))) == POSITIVE
    assert f.positive_part(square) == square
    assert f.sign(f.subtract(f.exponential(x), f.exponential(y))) == ANY


def test_signs_that_are_assumed() -> None:
    f, x, y = _xy()
    difference = f.subtract(x, y)
    with f.assuming([(difference, POSITIVE)], {}):
        assert f.sign(f.scale(difference, -3)) == NEGATIVE
        assert f.sign(f.subtract(f.exponential(y), f.exponential(x))) == NEGATIVE
        assert f.positive_part(difference) == difference
        assert f.sign(x) == ANY
    assert f.sign(difference) == ANY


def test_sums_with_a_value_everywhere() -> None:
    f, x, _ = _xy()
    square = f.add(((f.multiply(x, x), 1), (ONE, 1)))
    for total in (
        x,
        f.exponential(x),
        f.root(square),
        f.inverse(square),
        f.positive_part(x),
        f.exponential(f.root(square)),
    ):
        assert f.is_total(total)
    shifted = f.subtract(x, ONE)
    for partial in (f.root(x), f.inverse(x), f.logarithm(x), f.inverse(shifted), f.exponential(f.inverse(x))):
        assert not f.is_total(partial)
        assert not f.is_total(f.add(((partial, 1), (x, 1))))
        assert not f.is_total(f.positive_part(f.subtract(partial, x)))


def test_contradictions() -> None:
    f, x, y = _xy()
    z = f.atom("leaf", 2)
    more, less = f.subtract(x, ONE), f.add(((x, -1), (ONE, -1)))
    assert is_contradictory(f, [(more, POSITIVE), (less, POSITIVE)])
    assert not is_contradictory(f, [(more, POSITIVE), (less, NEGATIVE)])
    circle = [(f.subtract(a, b), POSITIVE) for a, b in ((x, y), (y, z), (z, x))]
    assert is_contradictory(f, circle)
    assert not is_contradictory(f, circle[:2])
    # Not strict, all are equal.
    assert not is_contradictory(f, [(s, POSITIVE | NIL) for s, _ in circle])
    assert is_contradictory(f, [(more, NIL), (x, NEGATIVE | NIL)])
    exponential = f.exponential(y)
    assert is_contradictory(f, [(f.add(((x, 1), (exponential, 1))), NEGATIVE), (x, POSITIVE)])
    assert not is_contradictory(f, [(f.subtract(x, exponential), NEGATIVE), (x, POSITIVE)])
    half = f.scale(x, Fraction(1, 2))
    assert is_contradictory(f, [(half, POSITIVE), (x, NIL)])
