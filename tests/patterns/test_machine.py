"""The machine, construct by construct; its bounds; depth; the cost of nested alternates."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.patterns.graphs import Graph

from hecv.patterns.calculus.match_relation import accepts
from hecv.patterns.calculus.match_subject import Node, Operator
from hecv.patterns.calculus.matches import Match
from hecv.patterns.calculus.pattern_ast import (
    Alternate,
    Apply,
    ApplyVariable,
    AttributeOf,
    Call,
    Compute,
    Constant,
    Constrained,
    Definition,
    Exists,
    Guarded,
    Known,
    Member,
    Parameter,
    Pattern,
    Variable,
)
from hecv.patterns.machine.machine import Search
from hecv.patterns.machine.pattern_program import compiled, heads

x, y = Variable("x"), Variable("y")
DEEP = 10_000


def define(*parameters: str, body: Pattern, name: str = "P") -> dict[str, Definition]:
    """One definition; parameters in upper case are function variables."""
    made = tuple(Parameter(p, "function" if p.isupper() else "term") for p in parameters)
    return {name: Definition(name, made, body)}


def both(first: Pattern, second: Pattern) -> Pattern:
    return Apply("g", (first, second))


def terms(definitions: dict[str, Definition], graph: Graph, value: int, name: str = "P") -> list[dict[str, int]]:
    search = Search(definitions, graph)
    found = [dict(match.terms) for match in search.matches(name, value)]
    assert not search.depth_reached and not search.out_of_steps
    return found


def chain(op: str = "f") -> dict[str, Definition]:
    """`P(x) = op(P(x)) || op(x)`."""
    return define("x", body=Alternate(Apply(op, (Call("P", ("x",)),)), Apply(op, (x,))))


# Patterns


def test_a_variable_is_one_value() -> None:
    g = Graph()
    a, b = g.leaf(), g.leaf()
    twice = define("x", body=both(x, x))
    assert terms(twice, g, g.make("g", a, a)) == [{"x": a}]
    assert terms(twice, g, g.make("g", a, b)) == []


def test_number_of_operands_result_and_attributes() -> None:
    g = Graph()
    a = g.leaf()
    first, second = (g.make("split", a, result=k, results=2, axis=1) for k in (0, 1))
    assert terms(define("x", body=Apply("split", (x,), result=1)), g, second) == [{"x": a}]
    assert terms(define("x", body=Apply("split", (x,), result=1)), g, first) == []
    assert terms(define("x", body=Apply("split", (x, x))), g, first) == []
    assert terms(define("x", body=Apply("split", (x,), (("axis", 1),))), g, first) == [{"x": a}]
    for other in (("axis", True), ("axis", 1.0), ("axis", 2), ("dim", 1)):
        assert terms(define("x", body=Apply("split", (x,), (other,))), g, first) == []


def test_constants() -> None:
    g = Graph()
    a = g.leaf()
    value = g.make("g", a, g.number(2))
    assert terms(define("x", body=both(x, Constant(2))), g, value) == [{"x": a}]
    assert terms(define("x", body=both(x, Constant(3))), g, value) == []


def test_alternates_come_in_their_order_and_without_doubles() -> None:
    g = Graph()
    a, b = g.leaf(), g.leaf()
    value = g.make("g", a, b)
    either = Alternate(both(Variable("z"), x), Alternate(both(x, Variable("z")), both(Variable("z"), x)))
    assert terms(define("x", body=Exists("z", either)), g, value) == [{"x": b}, {"x": a}]


def test_an_alternate_is_taken_back_when_the_context_does_not_accept_it() -> None:
    g = Graph()
    a, b = g.leaf(), g.leaf()
    inner = Exists("z", Alternate(both(x, Variable("z")), both(Variable("z"), x)))
    assert terms(define("x", body=both(inner, x)), g, g.make("g", g.make("g", a, b), b)) == [{"x": b}]


def test_a_function_variable_is_one_operator_attributes_and_all() -> None:
    g = Graph()
    a = g.leaf()
    twice = define("x", "F", body=ApplyVariable("F", (ApplyVariable("F", (x,)),)))
    inner = g.make("f", a, c=1)
    assert terms(twice, g, g.make("f", inner, c=1)) == [{"x": a}]
    for other in (g.make("k", inner, c=1), g.make("f", inner), g.make("f", inner, c=True), g.make("f", inner, c=1.0)):
        assert terms(twice, g, other) == []
    match = Search(twice, g).first("P", g.make("f", inner, c=1))
    assert match is not None
    assert match == Match({"x": a}, {"F": Operator("f", (("c", 1),))}, {"F": 1})


def test_a_function_variable_takes_only_results() -> None:
    g = Graph()
    value = g.make("split", g.leaf(), result=0, results=2)
    assert terms(define("x", "F", body=ApplyVariable("F", (x,))), g, value) == []


def test_zeros_of_different_sign_are_different_attributes() -> None:
    g = Graph()
    a = g.leaf()
    same = define("x", "F", body=both(ApplyVariable("F", (x,)), ApplyVariable("F", (x,))))
    left, right = g.leaf(), g.leaf()
    g.members[left].append(Node(Operator("f", (("c", 0.0),)), (a,)))
    g.members[right].append(Node(Operator("f", (("c", -0.0),)), (a,)))
    assert terms(same, g, g.make("g", left, left)) == [{"x": a}]
    assert terms(same, g, g.make("g", left, right)) == []


def test_classes_of_operators() -> None:
    g = Graph()
    a = g.leaf()
    guarded = define("x", "F", body=Guarded(ApplyVariable("F", (x,)), Member("F", "unary")))
    assert terms(guarded, g, g.make("f", a)) == [{"x": a}]
    assert terms(guarded, g, g.make("other", a)) == []


def test_a_guard_holds_only_where_it_is_known_to() -> None:
    g = Graph()
    known, open_ = g.leaf(rank=2), g.leaf()
    is_two = Compute("==", (AttributeOf("x", ("rank",)), Known(2)))
    positive = define("x", body=Guarded(Apply("f", (x,)), is_two))
    negative = define("x", body=Guarded(Apply("f", (x,)), Compute("not", (is_two,))))
    assert terms(positive, g, g.make("f", known)) == [{"x": known}]
    assert terms(negative, g, g.make("f", known)) == []
    assert terms(positive, g, g.make("f", open_)) == []
    assert terms(negative, g, g.make("f", open_)) == []


def test_a_match_constraint_binds_variables() -> None:
    g = Graph()
    a = g.leaf()
    body = Exists("y", Constrained(Apply("f", (y,)), "y", Apply("k", (x,))))
    assert terms(define("x", body=body), g, g.make("f", g.make("k", a))) == [{"x": a}]
    assert terms(define("x", body=body), g, g.make("f", g.make("f", a))) == []


def test_checks_wait_for_their_variables() -> None:
    """The constraint on `z` and the guard stand before what binds `z`, which is a constraint on `y`."""
    g = Graph()
    a, b = g.leaf(rank=1), g.leaf(rank=2)
    first = Guarded(
        Constrained(Apply("f", (y,)), "z", Apply("k", (x,))), Compute("==", (AttributeOf("x", ("rank",)), Known(1)))
    )
    body = Exists("y", Exists("z", Constrained(first, "y", Apply("f", (Variable("z"),)))))
    for leaf, expected in ((a, [{"x": a}]), (b, [])):
        value = g.make("f", g.make("f", g.make("k", leaf)))
        assert terms(define("x", body=body), g, value) == expected
    assert terms(define("x", body=body), g, g.make("f", g.make("f", g.make("f", a)))) == []


def test_what_waits_in_vain_fails() -> None:
    g = Graph()
    value = g.make("f", g.leaf())
    assert terms(define("x", body=Exists("y", Apply("f", (x,)))), g, value) == []
    assert terms(define("x", "y", body=Constrained(Apply("f", (x,)), "y", x)), g, value) == []
    unknown = Compute("==", (AttributeOf("y", ("rank",)), Known(1)))
    assert terms(define("x", "y", body=Guarded(Apply("f", (x,)), unknown)), g, value) == []
    either = Compute("or", (unknown, Known(True)))
    assert terms(define("x", "y", body=Guarded(Apply("f", (x,)), either)), g, value) == [{"x": 0}]


def test_local_variables_are_fresh_in_each_unfolding() -> None:
    g = Graph()
    a, b, c = g.leaf(), g.leaf(), g.leaf()
    tree = define("x", body=Alternate(Exists("y", both(Call("P", ("x",)), y)), Apply("f", (x,))))
    assert terms(tree, g, g.make("g", g.make("g", g.make("f", a), b), c)) == [{"x": a}]


def test_a_local_variable_hides_one_of_the_same_name() -> None:
    g = Graph()
    a, b = g.leaf(), g.leaf()
    body = both(x, Exists("x", Apply("f", (x,))))
    assert terms(define("x", body=body), g, g.make("g", a, g.make("f", b))) == [{"x": a}]


def test_arguments_are_matched_with_what_they_stand_for() -> None:
    g = Graph()
    a, b = g.leaf(), g.leaf()
    pair = define("x", "y", body=both(x, y), name="Pair")
    same = {**pair, **define("x", body=Call("Pair", ("x", "x")))}
    swapped = {**pair, **define("x", "y", body=Call("Pair", ("y", "x")))}
    assert terms(same, g, g.make("g", a, a)) == [{"x": a}]
    assert terms(same, g, g.make("g", a, b)) == []
    assert terms(swapped, g, g.make("g", a, b)) == [{"x": b, "y": a}]


def test_operands_are_matched_from_left_to_right() -> None:
    g = Graph()
    a, b, c, d = (g.leaf() for _ in range(4))
    either = {**define("x", body=Exists("z", Alternate(both(x, Variable("z")), both(Variable("z"), x))), name="Q")}
    rules = {**either, **define("x", "y", body=both(Call("Q", ("x",)), Call("Q", ("y",))))}
    value = g.make("g", g.make("g", a, b), g.make("g", c, d))
    assert terms(rules, g, value) == [{"x": first, "y": second} for first in (a, b) for second in (c, d)]


# E-classes


def test_calls_with_other_arguments_have_other_answers() -> None:
    """The one with `x` bound comes first, and the one with `y` unbound has more answers at the same value."""
    g = Graph()
    a, b = g.leaf(), g.leaf()
    value = g.union(g.make("f", a), g.make("f", b))
    rules = {
        **define("x", body=Apply("f", (x,)), name="Q"),
        **define("x", "y", body=Apply("h", (x, Call("Q", ("x",)), Call("Q", ("y",))))),
    }
    assert terms(rules, g, g.make("h", a, value, value)) == [{"x": a, "y": a}, {"x": a, "y": b}]


def test_nodes_of_a_value_are_tried_in_their_order() -> None:
    g = Graph()
    a, b = g.leaf(), g.leaf()
    value = g.union(g.make("f", a), g.make("f", b))
    assert terms(define("x", body=Apply("f", (x,))), g, value) == [{"x": a}, {"x": b}]


def test_recursion_ends_on_a_cycle() -> None:
    g = Graph()
    a = g.leaf()
    loop = g.leaf()
    g.union(loop, g.make("f", loop))
    g.union(loop, g.make("f", a))
    assert terms(chain(), g, loop) == [{"x": loop}, {"x": a}]
    endless = define("x", body=Apply("f", (Call("P", ("x",)),)))
    assert terms(endless, g, loop) == []


# Bounds


def test_the_bound_on_depth_is_reported() -> None:
    g = Graph()
    value = g.chain("f", 100, g.leaf())
    for frozen in (False, True):
        search = Search(chain(), g, depth=10, frozen=frozen)
        assert len(list(search.matches("P", value))) == 10
        assert search.depth_reached == {"P"}
    search = Search(chain(), g, depth=100)
    assert len(list(search.matches("P", value))) == 100
    assert not search.depth_reached


def test_what_a_bound_cut_is_not_kept() -> None:
    g = Graph()
    value = g.chain("f", 100, g.leaf())
    search = Search(chain(), g, depth=10, frozen=True)
    assert search.first("P", value) is not None
    assert len(list(search.matches("P", value - 9))) == 10


def test_the_bound_on_steps_is_reported() -> None:
    g = Graph()
    value = g.chain("f", 100, g.leaf())
    search = Search(chain(), g, steps=150, frozen=True)
    assert search.first("P", value) is None
    assert search.out_of_steps
    assert search.first("P", g.find(3)) is not None


def test_after_a_change_a_search_forgets() -> None:
    g = Graph()
    a = g.leaf()
    value = g.make("f", a)
    search = Search(define("x", body=Apply("f", (Apply("k", (x,)),))), g, frozen=True)
    assert search.first("P", value) is None
    g.union(a, g.make("k", a))
    search.forget()
    assert search.first("P", value) == Match({"x": a})


# Depth and cost


def test_terms_may_be_deep() -> None:
    g = Graph()
    a = g.leaf()
    value = g.chain("f", DEEP, a)
    search = Search(chain(), g)
    assert search.first("P", value) == Match({"x": a})
    assert search.depth_reached == frozenset()
    assert accepts(chain(), Call("P", ("x",)), Match({"x": a}), g, value)
    assert not accepts(chain(), Call("P", ("x",)), Match({"x": value}), g, value)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: Apply("f", (inner,)),
        lambda inner: Guarded(Apply("f", (inner,)), Known(True)),
        lambda inner: Alternate(Apply("k", (x,)), Apply("f", (inner,))),
        lambda inner: Alternate(Apply("f", (inner,)), Apply("k", (x,))),
        lambda inner: Exists("y", Constrained(Apply("f", (y,)), "y", inner)),
    ],
)
def test_patterns_may_be_deep(wrap: Callable[[Pattern], Pattern]) -> None:
    g = Graph()
    a = g.leaf()
    body: Pattern = x
    for _ in range(DEEP):
        body = wrap(body)
    value = g.chain("f", DEEP, a)
    assert terms(define("x", body=body), g, value) == [{"x": a}]
    if not isinstance(body, Exists):
        assert accepts({}, body, Match({"x": a}), g, value)


def test_alternates_of_one_recursion_cost_no_exponential_time() -> None:
    """There are as many ways down the chain as its length has Fibonacci compositions; all of them fail in the end."""
    g = Graph()
    call = Call("Q", ("x",))
    ways = Alternate(Apply("f", (call,)), Alternate(Apply("f", (Apply("f", (call,)),)), Apply("f", (x,))))
    rules = {**define("x", body=ways, name="Q"), **define("x", body=both(call, Apply("k", (x,))))}
    value = g.chain("f", 200, g.leaf())
    search = Search(rules, g, steps=500_000)
    assert list(search.matches("P", g.make("g", value, g.make("k", g.leaf())))) == []
    assert not search.out_of_steps


def test_all_matches_of_a_chain_cost_its_square_at_most() -> None:
    g = Graph()
    value = g.chain("f", 200, g.leaf())
    search = Search(chain(), g, steps=200_000)
    assert [m.terms["x"] for m in search.matches("P", value)] == list(range(200))
    assert not search.out_of_steps


def test_frozen_searches_share_what_they_find() -> None:
    g = Graph()
    value = g.chain("f", 2_000, g.leaf())
    search = Search(chain(), g, steps=100, frozen=True)
    assert all(search.first("P", v) is not None for v in range(1, value + 1))
    assert not search.out_of_steps


# Roots


def test_heads_go_through_alternates_and_calls() -> None:
    rules = {
        **define("x", body=Alternate(Apply("f", (x,)), Guarded(Call("Q", ("x",)), Known(True)))),
        **define("x", body=Exists("y", Alternate(Apply("k", (x,)), Call("P", ("x",)))), name="Q"),
        **define("x", body=Alternate(x, Apply("k", (x,))), name="Any"),
        **define("x", "F", body=ApplyVariable("F", (x,)), name="Variable"),
        **define(body=Constant(1), name="One"),
        **define("x", body=Call("Never", ("x",)), name="Never"),
    }
    assert heads(rules, "P") == heads(rules, "Q") == {"f", "k"}
    assert heads(rules, "Never") == frozenset()
    assert [compiled(rules).heads(name) for name in ("Any", "Variable", "One")] == [None, None, None]


def test_definitions_that_make_no_sense_are_refused() -> None:
    for body in (y, Call("P", ()), Call("Q", ("x",)), ApplyVariable("x", ()), Guarded(x, AttributeOf("y", ("rank",)))):
        with pytest.raises(ValueError, match="`P`"):
            compiled(define("x", body=body))
