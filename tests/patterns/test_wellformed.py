"""What is wrong with definitions and rules, each kind with a neighbour that is right."""

from __future__ import annotations

import pytest

from hecv.patterns.calculus.pattern_ast import (
    TRUE,
    Alternate,
    Apply,
    ApplyVariable,
    AttributeOf,
    Branch,
    Build,
    BuildVariable,
    Call,
    Compute,
    Computed,
    Constrained,
    Definition,
    Exists,
    Expression,
    Guarded,
    Known,
    Member,
    Parameter,
    Pattern,
    Replacement,
    Rule,
    Same,
    Variable,
)
from hecv.patterns.machine.wellformed import Problem, problems

x, y, z = Variable("x"), Variable("y"), Variable("z")
F = ("F", "function")
RANK = AttributeOf("x", ("rank",))


def define(*parameters: str, body: Pattern, name: str = "P") -> dict[str, Definition]:
    """One definition; parameters in upper case are function variables."""
    made = tuple(Parameter(p, "function" if p.isupper() else "term") for p in parameters)
    return {name: Definition(name, made, body)}


def f(*args: Pattern) -> Pattern:
    return Apply("f", args)


def call(name: str, *args: str) -> Pattern:
    return Call(name, args)


def kinds(definitions: dict[str, Definition]) -> list[tuple[str, str]]:
    return [(problem.definition, problem.kind) for problem in problems(definitions)]


RIGHT = {
    "nested": define("x", "y", body=f(f(x), y)),
    "either": define("x", body=Alternate(f(x, x), f(x))),
    "recursive": define("x", body=Alternate(f(call("P", "x")), f(x))),
    "mutual": {
        **define("x", body=Alternate(f(call("Q", "x")), x)),
        **define("x", body=Alternate(f(call("P", "x")), Apply("g", (x,))), name="Q"),
    },
    "local": define("x", body=Exists("y", f(x, y))),
    "function": define("x", "F", body=Guarded(ApplyVariable("F", (x,)), Member("F", "unary"))),
    "constraint": define("x", body=Exists("y", Constrained(f(y), "y", f(x)))),
    "chain of constraints": define(
        "x", body=Exists("y", Exists("z", Constrained(Constrained(f(y), "z", f(x)), "y", f(z))))
    ),
    "recursion under a constraint": define(
        "x", body=Alternate(Exists("y", Constrained(f(y), "y", call("P", "x"))), f(x))
    ),
    "constraint after the call": {
        **define("x", body=f(x), name="Q"),
        **define("x", body=Exists("y", Constrained(call("Q", "y"), "y", f(x)))),
    },
}

WRONG: dict[str, tuple[dict[str, Definition], list[tuple[str, str]]]] = {
    "no such variable": (define("x", body=f(x, y)), [("P", "unbound-variable")]),
    "out of scope": (define("x", body=f(Exists("y", f(y)), f(y, x))), [("P", "unbound-variable")]),
    "in a guard": (define("x", body=Guarded(x, AttributeOf("y", ("rank",)))), [("P", "unbound-variable")]),
    "in a constraint": (define("x", body=Constrained(x, "y", x)), [("P", "unbound-variable")]),
    "in a call": (
        {**define("x", body=x, name="Q"), **define("x", body=f(x, call("Q", "y")))},
        [("P", "unbound-variable")],
    ),
    "no such definition": (define("x", body=f(x, call("Q", "x"))), [("P", "unknown-definition")]),
    "arguments": ({**define("x", body=x, name="Q"), **define("x", body=f(x, call("Q")))}, [("P", "call-arity")]),
    "two parameters": (define("x", "x", body=x), [("P", "duplicate-parameter")]),
    "a value applied": (define("x", body=ApplyVariable("x", ())), [("P", "wrong-sort")]),
    "an operator as a value": (define("x", "F", body=f(x, Variable("F"))), [("P", "wrong-sort")]),
    "an operator as an argument": (
        {**define("x", body=x, name="Q"), **define("x", "F", body=f(ApplyVariable("F", (x,)), call("Q", "F")))},
        [("P", "wrong-sort")],
    ),
    "a value in a class": (define("x", body=Guarded(x, Member("x", "unary"))), [("P", "wrong-sort")]),
    "no such operator": (define("x", body=Guarded(x, Compute("eval", (RANK,)))), [("P", "unknown-function")]),
    "too many operands": (define("x", body=Guarded(x, Compute("not", (RANK, RANK)))), [("P", "unknown-function")]),
    "a parameter": (define("x", "y", body=f(x)), [("P", "unbound-parameter")]),
    "on one of two ways": (define("x", "y", body=Alternate(f(x, y), f(x))), [("P", "unbound-parameter")]),
    "through a call": (
        {**define("x", "y", body=f(x), name="Q"), **define("x", "y", body=call("Q", "x", "y"))},
        [("Q", "unbound-parameter"), ("P", "unbound-parameter")],
    ),
    "through recursion": (
        define("x", "y", body=Alternate(f(call("P", "x", "y")), f(x))),
        [("P", "unbound-parameter")],
    ),
    "a local": (define("x", body=Exists("y", f(x))), [("P", "unbound-local")]),
    "a local on one of two ways": (define("x", body=Exists("y", Alternate(f(x, y), f(x)))), [("P", "unbound-local")]),
    "a local within a way": (define("x", body=Alternate(Exists("y", f(x)), x)), [("P", "unbound-local")]),
    "a constraint that binds itself": (
        define("x", body=Exists("y", Constrained(f(x), "y", f(y)))),
        [("P", "unbound-local")],
    ),
    "two operand counts": (
        define("x", "F", body=ApplyVariable("F", (ApplyVariable("F", (x, x)),))),
        [("P", "function-arity")],
    ),
    "two operand counts by a call": (
        {
            **define("x", "F", body=ApplyVariable("F", (x,)), name="Q"),
            **define("x", "F", body=ApplyVariable("F", (x, call("Q", "x", "F")))),
        },
        [("P", "function-arity")],
    ),
    "at the same value": (define("x", body=Alternate(call("P", "x"), f(x))), [("P", "left-recursion")]),
    "at the same value by another": (
        {
            **define("x", body=Alternate(call("Q", "x"), f(x))),
            **define("x", body=Guarded(call("P", "x"), TRUE), name="Q"),
        },
        [("P", "left-recursion"), ("Q", "left-recursion")],
    ),
    "at the same value by a constraint": (
        define("x", body=Alternate(Exists("y", Constrained(y, "y", call("P", "x"))), f(x))),
        [("P", "left-recursion")],
    ),
    "at the same value by a constraint and a call": (
        {
            **define("x", body=x, name="Id"),
            **define("x", body=Alternate(Exists("y", Constrained(call("Id", "y"), "y", call("P", "x"))), f(x))),
        },
        [("P", "left-recursion")],
    ),
    "without end": (define("x", body=f(call("P", "x"))), [("P", "no-base-case")]),
    "without end in each": (
        define("x", body=Alternate(f(call("P", "x")), Exists("y", Constrained(f(x, y), "y", call("P", "x"))))),
        [("P", "no-base-case")],
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    assert problems(RIGHT[name]) == []


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str) -> None:
    definitions, expected = WRONG[name]
    assert kinds(definitions) == expected


def test_problems_say_what_they_mean() -> None:
    (problem,) = problems(define("x", "y", body=f(x)))
    assert problem == Problem("P", "unbound-parameter", "a match of `P` may leave its parameter `y` open")


def test_definitions_may_be_deep() -> None:
    body: Pattern = x
    for _ in range(10_000):
        body = f(body)
    assert problems(define("x", body=body)) == []


# Rules

UNARY = define("x", "F", body=ApplyVariable("F", (x,)))


def rule(replacement: Replacement, guard: Expression = TRUE, *parameters: Parameter) -> Rule:
    made = parameters or (Parameter("a"), Parameter("G", "function"))
    return Rule("r", "P", made, (Branch(guard, replacement),))


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (rule(Same("a")), []),
        (rule(BuildVariable("G", (Same("a"),)), Member("G", "unary")), []),
        (rule(Build("f", (Computed(AttributeOf("a", ("rank",))),), (("k", Known(1)),), Known("f32"))), []),
        (rule(Same("x")), ["unbound-variable"]),
        (rule(Same("G")), ["wrong-sort"]),
        (rule(BuildVariable("a", ())), ["wrong-sort"]),
        (rule(BuildVariable("G", ())), ["function-arity"]),
        (rule(Same("a"), RANK), ["unbound-variable"]),
        (rule(Computed(Compute("eval", ()))), ["unknown-function"]),
        (rule(Build("f", (), (("k", RANK),))), ["unbound-variable"]),
        (rule(Build("f", (), (), RANK)), ["unbound-variable"]),
        (rule(Same("a"), TRUE, Parameter("a")), ["rule-arity"]),
        (rule(Same("a"), TRUE, Parameter("G", "function"), Parameter("a")), ["rule-arity"]),
        (Rule("r", "Q", (), ()), ["unknown-definition"]),
    ],
)
def test_rules(made: Rule, expected: list[str]) -> None:
    assert [(p.definition, p.kind) for p in problems(UNARY, (made,))] == [("r", kind) for kind in expected]
