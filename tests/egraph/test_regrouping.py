"""Normal forms of float sums and products: what regrouping and real arithmetic make equal, and what they do not."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from tests.egraph.terms import Terms

from hecv.base.term import Term, literal, postorder
from hecv.base.types import BOOL, FloatType, IntType
from hecv.egraph.normal_forms.exact_sums import as_float, exact_product, exact_sum
from hecv.egraph.normal_forms.float_equality import equal_floats

F32, F64 = FloatType("f32"), FloatType("f64")
T = Terms(F32)
X, Y, Z, W = (T.leaf(k) for k in range(4))


def num(value: float) -> Term:
    return T.literal(value)


def add(x: Term, y: Term) -> Term:
    return T.op("addf", x, y)


def sub(x: Term, y: Term) -> Term:
    return T.op("subf", x, y)


def mul(x: Term, y: Term) -> Term:
    return T.op("mulf", x, y)


def div(x: Term, y: Term) -> Term:
    return T.op("divf", x, y)


def neg(x: Term) -> Term:
    return T.op("negf", x)


def math_of(name: str, x: Term) -> Term:
    return T.pool.make(f"math.{name}", (x,), x.type)


def fma(x: Term, y: Term, z: Term) -> Term:
    return T.pool.make("math.fma", (x, y, z), x.type)


def reassociated(x: Term, y: Term) -> bool:
    return equal_floats(x, y, "reassoc").proved


def real(x: Term, y: Term) -> bool:
    return equal_floats(x, y, "real").proved


REGROUPED = {
    "associate": (add(add(X, Y), Z), add(X, add(Y, Z))),
    "commute": (add(add(X, Y), Z), add(Z, add(Y, X))),
    "a difference is a sum": (sub(add(X, Y), Z), add(sub(X, Z), Y)),
    "a negated operand": (sub(X, neg(Y)), add(Y, X)),
    "products": (mul(mul(X, Y), mul(Z, W)), mul(W, mul(Z, mul(Y, X)))),
    "signs of factors": (mul(neg(X), mul(Y, Z)), neg(mul(Z, mul(X, Y)))),
    "two signs": (mul(neg(X), neg(Y)), mul(Y, X)),
    "a product in a sum": (sub(X, mul(neg(Y), Z)), add(mul(Z, Y), X)),
    "minus zero is neutral": (add(X, num(-0.0)), X),
    "plus zero beside plus zero": (add(add(X, num(0.0)), num(0.0)), add(num(0.0), X)),
    "exact literals": (add(add(X, num(1.0)), num(2.0)), add(X, num(3.0))),
    "literals that cancel leave a zero": (sub(add(X, num(1.0)), num(1.0)), add(X, num(0.0))),
    "literal factors": (mul(mul(X, num(2.0)), num(3.0)), mul(X, num(6.0))),
    "one": (mul(mul(X, num(4.0)), num(0.25)), X),
    "nested in other ops": (div(add(X, add(Y, Z)), X), div(add(add(Z, X), Y), X)),
    "a sum used twice": (mul(add(X, Y), add(Y, X)), mul(add(Y, X), add(X, Y))),
}

ONLY_REAL = {
    "plus zero": (add(X, num(0.0)), X),  # x = -0
    "cancel": (sub(X, X), num(0.0)),  # x = inf
    "cancel a literal": (sub(add(X, num(1.0)), num(1.0)), X),  # x = -0
    "times zero": (mul(X, num(0.0)), num(0.0)),  # x = -1
    "negated sum": (neg(add(X, Y)), sub(neg(X), Y)),  # 1 and -1
    "subtracted sum": (sub(X, add(Y, Z)), sub(sub(X, Y), Z)),  # -0, 1 and -1
    "distribute": (mul(X, add(Y, Z)), add(mul(X, Y), mul(X, Z))),
    "contract": (fma(X, Y, Z), add(mul(X, Y), Z)),
    "divide by a power of two": (div(X, num(4.0)), mul(X, num(0.25))),
    "divide by three": (div(div(X, num(3.0)), Y), div(X, mul(Y, num(3.0)))),
    "inexact literals": (add(add(X, num(0.5)), num(1e30)), add(X, add(num(0.5), num(1e30)))),
    "twice": (add(X, X), mul(X, num(2.0))),
    "square of a sum": (
        mul(add(X, Y), add(X, Y)),
        add(add(mul(X, X), mul(num(2.0), mul(X, Y))), mul(Y, Y)),
    ),
    "common divisor": (div(add(X, Y), Z), add(div(X, Z), div(Y, Z))),
    "zeros": (num(-0.0), num(0.0)),
}

NEVER = {
    "another operand": (add(add(X, Y), Z), add(add(X, Y), W)),
    "an operand twice": (add(add(X, Y), Z), add(add(X, Y), Y)),
    "another sign": (add(X, Y), sub(X, Y)),
    "order of a difference": (sub(X, Y), sub(Y, X)),
    "an operand that is not there": (mul(mul(X, Y), Z), mul(X, Y)),
    "a sum for a product": (add(X, Y), mul(X, Y)),
    "another literal": (add(X, num(1.0)), add(X, num(2.0))),
    "a rounded reciprocal": (div(X, num(3.0)), mul(X, num(1 / 3))),
    "a rounded sum": (add(add(X, num(0.1)), num(0.2)), add(X, num(0.1 + 0.2))),
    "a divisor that may be 0": (num(1.0), div(X, X)),
    "a new divisor": (X, div(mul(X, Y), Y)),
    "0 times a new quotient": (num(0.0), mul(num(0.0), div(X, Y))),
}


@pytest.mark.parametrize("name", REGROUPED)
def test_regrouping(name: str) -> None:
    x, y = REGROUPED[name]
    assert reassociated(x, y) and reassociated(y, x)
    assert real(x, y) and real(y, x)


@pytest.mark.parametrize("name", ONLY_REAL)
def test_only_over_the_reals(name: str) -> None:
    x, y = ONLY_REAL[name]
    assert real(x, y) and real(y, x)
    if name != "inexact literals":
        assert not reassociated(x, y)


@pytest.mark.parametrize("name", NEVER)
def test_never(name: str) -> None:
    x, y = NEVER[name]
    assert not reassociated(x, y)
    assert not real(x, y)


def test_what_the_source_divides_by_is_not_zero() -> None:
    assert real(div(X, X), num(1.0)) and not real(num(1.0), div(X, X))
    assert real(div(mul(X, Y), Y), X) and not real(X, div(mul(X, Y), Y))
    whole = add(X, Y)
    assert real(div(Z, whole), div(Z, add(Y, X)))
    assert not real(add(div(Z, whole), W), add(div(Z, sub(X, Y)), W))


def test_a_guarded_division_says_nothing_of_its_divisor() -> None:
    guard = T.leaf(9, IntType(1))
    guarded = T.choose(guard, num(1.0), div(mul(X, Y), Y))
    assert not real(guarded, T.choose(guard, num(1.0), X))
    assert real(guarded, guarded)


@pytest.mark.parametrize("value", [div(num(1.0), Y), *(math_of(name, Y) for name in ("log", "sqrt", "rsqrt", "tan"))])
def test_what_another_arm_demands_is_not_known_where_it_is_not_taken(value: Term) -> None:
    """Where the guard holds, the source has a value for all `Y`."""
    guard = T.leaf(9, IntType(1))
    source, target = T.choose(guard, X, value), T.choose(guard, sub(add(X, value), value), value)
    assert not real(source, target) and real(target, source)
    assert not real(add(source, Z), add(Z, target))
    arms = [T.choose(guard, total, value) for total in (add(value, X), add(X, value))]
    assert real(arms[0], arms[1])


def test_casts_are_exact_over_the_reals_only() -> None:
    wide = T.op("extf", X, to=F64)
    back = T.op("truncf", T.op("addf", wide, T.op("extf", Y, to=F64)), to=F32)
    assert real(back, add(X, Y)) and not reassociated(back, add(X, Y))
    assert real(T.op("truncf", wide, to=F32), X)


@pytest.mark.parametrize("name", ["log", "log10", "sqrt", "rsqrt", "tan", "atanh"])
def test_a_function_that_the_source_does_not_take_is_not_taken(name: str) -> None:
    value = math_of(name, Y)
    idle = sub(add(add(X, value), Y), value)
    assert real(idle, add(X, Y)) and not real(add(X, Y), idle)
    assert real(add(add(X, Y), mul(value, Z)), add(idle, mul(Z, value)))


def test_what_one_function_demands_another_may() -> None:
    log, root = math_of("log", Y), math_of("sqrt", Y)

    def idle(x: Term, y: Term) -> Term:
        return sub(add(x, y), y)

    assert real(add(X, log), idle(add(log, X), root)) and not real(add(X, root), idle(add(root, X), log))
    assert real(div(X, root), idle(div(X, root), log))
    guarded = T.choose(T.leaf(9, IntType(1)), div(X, Y), X)
    assert not real(add(guarded, X), idle(add(X, guarded), div(X, Y)))


def test_integers_beside_floats() -> None:
    i32 = IntType(32)
    a, b = T.leaf(7, i32), T.leaf(8, i32)
    first = T.op("sitofp", T.op("addi", a, b), to=F32)
    second = T.op("sitofp", T.op("addi", b, a), to=F32)
    assert reassociated(add(first, X), add(X, second))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", [100, 1000])
@pytest.mark.parametrize("op", [add, mul])
def test_long_chains_in_any_order(op: Callable[[Term, Term], Term], count: int) -> None:
    random = Random(count)
    leaves = [T.leaf(100 + k) for k in range(count)]
    chain = leaves[0]
    for leaf in leaves[1:]:
        chain = op(chain, leaf)

    def shuffled(terms: list[Term]) -> Term:
        rest = random.sample(terms, len(terms))
        while len(rest) > 1:
            rest = [op(*rest[k : k + 2]) if k + 1 < len(rest) else rest[k] for k in range(0, len(rest), 2)]
        return rest[0]

    changed = [*leaves[:-1], leaves[0]]
    for check in (reassociated, real):
        assert check(chain, shuffled(leaves))
        assert not check(chain, shuffled(changed))


@pytest.mark.parametrize("partial", [div(X, Z), math_of("sqrt", Z), math_of("log", Z)], ids=["divf", "sqrt", "log"])
def test_what_one_choice_computes_another_does_not(partial: Term) -> None:
    """The source has a value where the second choice takes its first operand, whatever `z` is: it shows up in no other
    choice, and the target's does."""
    first, second = T.leaf(5, BOOL), T.leaf(6, BOOL)
    idle = add(X, mul(num(0.0), partial))
    apart = add(T.choose(first, partial, Y), T.choose(second, X, Y))
    assert not real(apart, add(T.choose(first, partial, Y), T.choose(second, idle, Y)))
    assert real(apart, add(T.choose(second, X, Y), T.choose(first, add(partial, num(0.0)), Y)))
    assert real(add(apart, partial), add(partial, add(T.choose(first, partial, Y), T.choose(second, idle, Y))))


def test_a_choice_that_the_source_does_not_make() -> None:
    choice = T.choose(T.leaf(5, BOOL), div(num(1.0), Z), Y)
    assert not real(X, add(X, mul(num(0.0), choice)))
    assert real(add(X, choice), sub(add(choice, add(X, choice)), choice))


def test_choices_of_what_has_no_value_everywhere() -> None:
    """In choices that are made alike, of what is computed alike."""
    bit, inverse = T.leaf(5, BOOL), div(num(1.0), Z)
    ours, theirs = div(X, Z), mul(X, inverse)
    guards = [T.op("cmpf", q, num(0.0), to=BOOL, predicate="ogt") for q in (ours, theirs)]
    assert real(T.choose(bit, ours, Y), T.choose(bit, theirs, Y))
    assert real(T.choose(guards[0], ours, Y), T.choose(guards[1], theirs, Y))
    assert real(T.op("maximumf", ours, Y), T.op("maximumf", Y, theirs))
    assert real(
        mul(T.choose(bit, T.choose(bit, ours, Y), Z), ours), mul(theirs, T.choose(bit, T.choose(bit, theirs, Y), Z))
    )
    assert not real(
        T.choose(bit, T.choose(bit, X, Y), ours), T.choose(bit, T.choose(bit, mul(X, mul(Z, inverse)), Y), ours)
    )
    assert not real(T.choose(bit, X, ours), T.choose(bit, add(X, mul(theirs, num(0.0))), ours))


# What is proved is evaluated: equal in IEEE arithmetic, zeros and infinities too, where nothing is rounded.

VALUES = (0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, math.inf, -math.inf, math.nan)


def evaluated(term: Term, leaves: dict[int, float]) -> float:
    values: dict[int, float] = {}
    for node in postorder((term,)):
        known = literal(node)
        args = [values[a.id] for a in node.args]
        match node.op:
            case "leaf":
                values[node.id] = leaves[int(str(node.attr("number")))]
            case "arith.addf":
                values[node.id] = args[0] + args[1]
            case "arith.subf":
                values[node.id] = args[0] - args[1]
            case "arith.mulf":
                values[node.id] = args[0] * args[1]
            case "arith.negf":
                values[node.id] = -args[0]
            case _:
                assert known is not None
                values[node.id] = float(known)
    return values[term.id]


def grown(random: Random, size: int) -> Term:
    if size == 1:
        return random.choice((X, Y, Z, X, Y, Z, num(0.0), num(-0.0), num(1.0), num(-2.0)))
    left = random.randrange(1, size)
    op = random.choice((add, add, sub, mul))
    made = op(grown(random, left), grown(random, size - left))
    return neg(made) if random.random() < 0.15 else made


@pytest.mark.one_in(12)
@pytest.mark.parametrize("seed", range(6))
def test_proved_terms_are_equal_where_nothing_is_rounded(seed: int) -> None:
    random = Random(seed)
    proved = 0
    by_form: list[Term] = [grown(random, random.randrange(2, 6)) for _ in range(120)]
    for k, first in enumerate(by_form):
        for second in by_form[k + 1 : k + 60]:
            if not reassociated(first, second) or first is second:
                continue
            proved += 1
            for _ in range(40):
                leaves = {n: random.choice(VALUES) for n in range(3)}
                a, b = evaluated(first, leaves), evaluated(second, leaves)
                same = (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
                assert same, f"{first}\n{second}\n{leaves}: {a} {b}"
    assert proved > 5


@pytest.mark.parametrize("start", [X, num(3.0), mul(X, num(0.1)), add(X, num(0.1))], ids=["x", "3", "0.1x", "x+0.1"])
@pytest.mark.parametrize("op", [add, mul])
def test_operands_that_double_again_and_again(op: Callable[[Term, Term], Term], start: Term) -> None:
    """`y = y * y` sixty times has `2**60` factors: what is too long is one operand, and nothing is unfolded."""
    powers = [start]
    for _ in range(60):
        powers.append(op(powers[-1], powers[-1]))
    again = op(op(powers[-2], powers[-3]), powers[-3])
    for question in (reassociated, real):
        assert question(powers[3], op(op(powers[2], powers[1]), powers[1]))
        question(powers[-1], again)


def test_exact_literals() -> None:
    assert exact_sum([1.0, 2.0], "f32") == 3.0
    assert exact_sum([1.0, 2.0**-24], "f32") is None
    assert exact_sum([1e30, -1e30, 1.0], "f64") is None  # 0 or 1, by order
    assert exact_sum([65504.0, 32.0], "f16") is None
    assert exact_product([3.0, 5.0], "f16") == 15.0
    assert exact_product([2.0**100, 2.0**100, 2.0**-100], "f32") is None
    assert as_float(Fraction(1, 3), "f32") is None
    assert as_float(Fraction(3, 4), "f32") == 0.75
    assert as_float(Fraction(2**25 + 1), "f32") is None
