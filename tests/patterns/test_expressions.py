"""Kleene's logic over attributes."""

from __future__ import annotations

from itertools import product

import pytest

from hecv.patterns.calculus import pattern_ast
from hecv.patterns.calculus.guard_expressions import arity, compute, evaluate, holds, same_value, value_key, variables
from hecv.patterns.calculus.pattern_ast import AttributeOf, Compute, Expression, Known, Member, Value


class Held:
    """`x.a` is known and `x.b` is not; `f` is a `unary`."""

    def attribute(self, variable: str, path: tuple[str, ...]) -> Value | None:
        return 3 if (variable, path) == ("x", ("a",)) else None

    def member(self, function: str, family: str) -> bool | None:
        return family == "unary" if function == "f" else None


def of(op: str, *args: Value | None) -> Value | None:
    return compute(op, list(args))


KNOWN, OPEN = AttributeOf("x", ("a",)), AttributeOf("x", ("b",))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (KNOWN, 3),
        (OPEN, None),
        (Compute("+", (KNOWN, Known(1))), 4),
        (Compute("+", (OPEN, Known(1))), None),
        (Compute("and", (OPEN, Known(False), Known(True))), False),
        (Compute("and", (OPEN, Known(True))), None),
        (Compute("and", (Known(True), Known(True))), True),
        (Compute("or", (OPEN, Known(True))), True),
        (Compute("or", (OPEN, Known(False))), None),
        (Compute("not", (OPEN,)), None),
        (Compute("not", (Compute("==", (KNOWN, Known(3))),)), False),
        (Member("f", "unary"), True),
        (Member("f", "binary"), False),
        (Member("g", "unary"), None),
        (Compute("==", (Compute("-", (Known(5), Known(2))), KNOWN)), True),
    ],
)
def test_unknown_parts(expression: Expression, value: Value | None) -> None:
    assert (
        same_value(evaluate(expression, Held()), value) if value is not None else evaluate(expression, Held()) is None
    )


def test_a_guard_holds_if_it_is_true_and_not_if_it_is_merely_not_false() -> None:
    assert holds(Known(True), Held())
    assert not any(holds(guard, Held()) for guard in (Known(1), OPEN, KNOWN, Known("yes"), Compute("and", (OPEN,))))


@pytest.mark.parametrize("op", [*pattern_ast.BINARY, *pattern_ast.COMPARISONS])
def test_types_do_not_mix(op: str) -> None:
    """Whatever is true of a mixture, its negation is not true either."""
    mixed = [(1, "1"), ("f32", 32), (True, 1), (1, False), (1.0, True), ("a", (1,))]
    for left, right in mixed:
        if op == "in" and isinstance(right, tuple):
            assert of(op, left, right) is None
        assert of(op, left, right) is None


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "min", "max", "-", "*", "/"])
def test_text_lists_and_truth_values_have_no_order_and_no_arithmetic(op: str) -> None:
    for value in ("a", (1, 2), True):
        assert of(op, value, value) is None


@pytest.mark.parametrize(
    ("op", "args", "value"),
    [
        ("+", (1, 2), 3),
        ("+", ("a", "b"), "ab"),
        ("+", ((1,), (2,)), (1, 2)),
        ("+", (1, 0.5), 1.5),
        ("//", (-7, 2), -4),
        ("%", (-7, 2), 1),
        ("//", (1, 0), None),
        ("%", (1, 0), None),
        ("/", (1, 0), None),
        ("/", (1, 4), 0.25),
        ("/", (10**400, 3), None),
        ("**", (2, 10), 1024),
        ("**", (2, -1), 0.5),
        ("**", (0, -1), None),
        ("**", (-2.0, 0.5), None),
        ("**", (10, 10**9), None),
        ("**", (1e300, 2.0), None),
        ("<<", (1, 3), 8),
        ("<<", (1, -1), None),
        ("<<", (1, 10**9), None),
        ("<<", (1.0, 1), None),
        (">>", (-8, 1), -4),
        (">>", (8, -1), None),
        (">>", (8, 10**30), 0),
        ("&", (6, 3), 2),
        ("&", (True, False), False),
        ("&", (6.0, 3), None),
        ("item", ((4, 5), 1), 5),
        ("item", ((4, 5), -1), 5),
        ("item", ((4, 5), 2), None),
        ("item", ((4, 5), -3), None),
        ("item", ((4, 5), True), None),
        ("in", ("f32", ("f16", "f32")), True),
        ("in", ("f64", ("f16", "f32")), False),
        ("in", ("f64", ("f16", 32)), None),
        ("in", ("f32", ("f16", 32, "f32")), True),
        ("in", (1, ()), False),
        ("in", ("f", "f32"), True),
        ("==", (2, 2.0), True),
        ("==", (2**53 + 1, float(2**53)), False),
        ("==", (0.0, -0.0), True),
        ("==", (float("nan"), float("nan")), False),
        ("!=", (float("nan"), float("nan")), True),
        ("==", ((1, 2), (1, 2)), True),
        ("==", ((1, 2), (1,)), False),
        ("==", ((1, "2"), (1, 2)), None),
        ("==", ((1, "2"), (3, 2)), False),
        ("<", (1, 1.5), True),
        ("min", (3, 2), 2),
        ("max", (3, 2), 3),
        ("min", (1.0, float("nan")), None),
        ("min", (0.0, -0.0), None),
        ("max", (1, 1.0), None),
        ("neg", (3,), -3),
        ("neg", (True,), None),
        ("not", (1,), None),
        ("len", ((1, 2),), 2),
        ("len", (3,), None),
        ("abs", (-3,), 3),
        ("is_power_of_two", (8,), True),
        ("is_power_of_two", (6,), False),
        ("is_power_of_two", (0,), False),
        ("is_power_of_two", (-8,), False),
        ("is_power_of_two", (8.0,), None),
        ("is_power_of_two", (True,), None),
        ("log2", (8,), 3),
        ("log2", (6,), None),
        ("log2", (0,), None),
    ],
)
def test_operators(op: str, args: tuple[Value, ...], value: Value | None) -> None:
    found = of(op, *args)
    assert found is None if value is None else found is not None and same_value(found, value)


def test_every_operator_has_an_arity_and_no_other_has() -> None:
    assert {arity(op) for op in pattern_ast.UNARY} == {1}
    assert {arity(op) for op in (*pattern_ast.BINARY, *pattern_ast.COMPARISONS)} == {2}
    assert {arity(op) for op in pattern_ast.CONNECTIVES} == {-1}
    assert arity("eval") is None
    assert of("eval", 1) is None
    assert of("+", 1) is None
    assert of("+", 1, 2, 3) is None


def test_knowing_more_changes_no_answer() -> None:
    """For every operator: an answer with an unknown operand is the answer with any value there."""
    values: list[Value] = [0, 1, 2, -1, 1.5, True, False, "f32", (), (1, 2)]
    for op in (*pattern_ast.BINARY, *pattern_ast.COMPARISONS, *pattern_ast.CONNECTIVES):
        for left, right in product([*values, None], repeat=2):
            answer = of(op, left, right)
            if answer is None or (left is not None and right is not None):
                continue
            for value in values:
                assert of(op, value if left is None else left, value if right is None else right) == answer


def test_values_are_told_apart() -> None:
    values: list[Value] = [
        0,
        False,
        0.0,
        -0.0,
        "0",
        (),
        (0,),
        (0.0,),
        (False,),
        1,
        True,
        1.0,
        float("nan"),
        (float("nan"),),
    ]
    for (i, left), (j, right) in product(enumerate(values), repeat=2):
        assert same_value(left, right) == (i == j)
        assert (value_key(left) == value_key(right)) == (i == j)


def test_variables_are_those_that_are_asked_for() -> None:
    assert variables(Compute("and", (Member("f", "unary"), Compute("<", (KNOWN, Known(1)))))) == {"f", "x"}


def test_expressions_may_be_deep() -> None:
    deep: Expression = KNOWN
    for _ in range(10_000):
        deep = Compute("+", (deep, Known(1)))
    assert evaluate(deep, Held()) == 10_003
