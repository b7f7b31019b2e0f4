"""From Python to the calculus: what the body of a pattern or rule stands for."""

from __future__ import annotations

from textwrap import dedent

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
    Constant,
    Constrained,
    Definition,
    Exists,
    Expression,
    Guarded,
    Known,
    Member,
    Parameter,
    Pattern,
    RuleFile,
    Same,
    Variable,
)
from hecv.rule_files.rule_loader import loads

X, Y = Variable("x"), Variable("y")


def read(text: str) -> RuleFile:
    return loads("from hecv.rules import *\n" + dedent(text), "R.py")


def body(text: str) -> Pattern:
    """The body of the pattern `p`."""
    return read(text).definitions["p"].body


def is_(name: str, path: str, value: object) -> Expression:
    return Compute("==", (AttributeOf(name, tuple(path.split("."))), Known(value)))  # type: ignore[arg-type]


def neg(x: Pattern) -> Pattern:
    return Apply("arith.negf", (x,))


# Patterns


def test_operators_literals_and_attributes() -> None:
    found = body("""
        @pattern
        def p(x, y):
            return arith.select(arith.cmpi(x, 7, predicate="slt"), -x, ~y << 1)
    """)
    compare = Apply("arith.cmpi", (X, Constant(7)), (("predicate", "slt"),))
    inverted = Apply("arith.xori", (Y, Constant(-1)))
    shifted = Apply("arith.shli", (inverted, Constant(1)))
    assert found == Apply("arith.select", (compare, Apply("arith.subi", (Constant(0), X)), shifted))


def test_definitions_of_one_name_are_alternates_in_their_order() -> None:
    found = read("""
        @pattern
        def p(x):
            return arith.divf(x, 2.0)
        @pattern
        def p(y):
            return arith.mulf(y, 0.5)
        @pattern
        def p(z):
            return z
    """)
    second = Alternate(Apply("arith.mulf", (X, Constant(0.5))), X)
    first = Apply("arith.divf", (X, Constant(2.0)))
    assert found.definitions == {"p": Definition("p", (Parameter("x"),), Alternate(first, second))}


def test_branches_are_alternates_true_first() -> None:
    found = body("""
        @pattern
        def p(x):
            if x.rank == 2:
                return arith.negf(x)
            elif x.elType == "f32":
                return math.absf(x)
            else:
                return x
    """)
    first, second = is_("x", "rank", 2), is_("x", "elType", "f32")
    no_first = Compute("!=", (AttributeOf("x", ("rank",)), Known(2)))
    no_second = Compute("!=", (AttributeOf("x", ("elType",)), Known("f32")))
    assert found == Alternate(
        Guarded(neg(X), first),
        Alternate(
            Guarded(Guarded(Apply("math.absf", (X,)), no_first), second), Guarded(Guarded(X, no_first), no_second)
        ),
    )


def test_connectives_of_python_are_those_of_guards() -> None:
    found = body("""
        @pattern
        def p(x):
            assert x.rank == 2 and not (x.width < 8 or 16 <= x.width < 32)
            return arith.negf(x)
    """)
    width = AttributeOf("x", ("width",))
    small = Compute("not", (Compute("<", (width, Known(8))),))
    far = Compute("not", (Compute(">=", (width, Known(16))),))
    beyond = Compute("not", (Compute("<", (width, Known(32))),))
    assert found == Guarded(Guarded(Guarded(neg(X), is_("x", "rank", 2)), small), Compute("or", (far, beyond)))


def test_a_condition_is_decided_once_on_a_path() -> None:
    found = body("""
        @pattern
        def p(x):
            if x.elType == "f16":
                assert "f16" == x.elType and x.elType != "f32"
                return arith.negf(x)
            assert x.elType in ("f32", "f16")
            return x
    """)
    other = Compute("!=", (AttributeOf("x", ("elType",)), Known("f16")))
    assert found == Alternate(
        Guarded(neg(X), is_("x", "elType", "f16")), Guarded(Guarded(X, other), is_("x", "elType", "f32"))
    )


def test_one_and_true_are_two_values() -> None:
    found = body("""
        @pattern
        def p(x):
            if x.value == 1:
                return arith.andi(x, 1)
            if x.value == True:
                return arith.andi(x, True)
            return x
    """)
    assert isinstance(found, Alternate) and isinstance(found.second, Alternate)


def test_equal_paths_are_one() -> None:
    found = body("""
        @pattern
        def p(x):
            if x.rank == 2 or x.rank == 3:
                return arith.negf(x)
            return arith.negf(x)
    """)
    assert found == neg(X)


def test_loops_helpers_and_early_returns() -> None:
    found = body("""
        def twice(f, x):
            return f(f(x))

        @pattern
        def p(x):
            for k in range(2):
                x = twice(arith.negf, x)
            return x
            return unreachable
    """)
    assert found == neg(neg(neg(neg(X))))


def test_a_part_that_is_used_twice_is_one_value() -> None:
    found = body("""
        @pattern
        def p(x):
            y = arith.negf(x)
            return arith.addf(y, y)
    """)
    name = Variable("negf")
    assert found == Exists("negf", Constrained(Apply("arith.addf", (name, name)), "negf", neg(X)))


def test_the_attribute_of_a_part_names_it() -> None:
    found = body("""
        @pattern
        def p(x):
            y = tosa.transpose(x)
            assert y.perms == (1, 0) and x.shape[1] == y.shape[0] and x.shape[-1] == 4
            return tosa.exp(y)
    """)
    extents = Compute("==", (AttributeOf("x", ("shape", "1")), AttributeOf("y", ("shape", "0"))))
    last = Compute("==", (Compute("item", (AttributeOf("x", ("shape",)), Known(-1))), Known(4)))
    made = Guarded(Apply("tosa.exp", (Y,)), is_("y", "perms", (1, 0)))
    constrained = Constrained(made, "y", Apply("tosa.transpose", (X,)))
    assert found == Exists("y", Guarded(Guarded(constrained, extents), last))


def test_local_variables_and_match_constraints() -> None:
    found = body("""
        @pattern
        def p(x):
            y = var()
            y <= arith.negf(x)
            x <= math.absf(x)
            return math.exp(y)
    """)
    exp = Constrained(Apply("math.exp", (Y,)), "y", neg(X))
    assert found == Exists("y", Constrained(exp, "x", Apply("math.absf", (X,))))


def test_results_of_an_operator() -> None:
    found = body("""
        @pattern
        def p(x, y):
            total, overflow = arith.addui_extended(x, y)
            return arith.select(overflow, x, total)
    """)
    total, overflow = (Apply("arith.addui_extended", (X, Y), result=k) for k in (0, 1))
    assert found == Apply("arith.select", (overflow, X, total))


def test_patterns_call_patterns_with_parts() -> None:
    found = body("""
        @pattern
        def half(x):
            return arith.mulf(x, 0.5)

        @pattern
        def p(x):
            return arith.negf(half(math.absf(x)))
    """)
    called = Constrained(neg(Call("half", ("v",))), "v", Apply("math.absf", (X,)))
    assert found == Exists("v", called)


def test_recursion_with_a_function_variable() -> None:
    found = read("""
        @pattern
        def p(x, f):
            assert f in unary_pointwise
            return f(p(x, f))

        @pattern
        def p(x, f):
            return f(x)
    """).definitions["p"]
    assert found.parameters == (Parameter("x"), Parameter("f", "function"))
    first = Guarded(ApplyVariable("f", (Call("p", ("x", "f")),)), Member("f", "unary_pointwise"))
    assert found.body == Alternate(first, ApplyVariable("f", (X,)))


def test_a_parameter_that_is_only_passed_on_has_the_sort_of_its_use() -> None:
    found = read("""
        @pattern
        def even(x, f):
            return arith.negf(odd(x, f))
        @pattern
        def odd(x, f):
            return arith.negf(even(x, f))
        @pattern
        def odd(x, f):
            return f(x)
    """).definitions
    assert [p.sort for p in found["even"].parameters] == ["term", "function"]


def test_families_and_operators_for_function_variables() -> None:
    found = read("""
        @pattern
        def apply(f, x):
            return f(x)
        @pattern
        def of_family(x):
            return unary_pointwise(x)
        @pattern
        def local(x):
            f = fun(unary_pointwise)
            return f(f(x))
        @pattern
        def passed(x):
            return apply(tosa.exp, x)
        @pattern
        def among(f, x):
            assert f in (tosa.exp, tosa.tanh)
            return f(x)
    """).definitions
    of_f = Member("f", "unary_pointwise")
    assert found["of_family"].body == Exists("f", Guarded(ApplyVariable("f", (X,)), of_f), "function")
    twice = ApplyVariable("f", (ApplyVariable("f", (X,)),))
    assert found["local"].body == Exists("f", Guarded(twice, of_f), "function")
    named = is_("f", "name", "tosa.exp")
    assert found["passed"].body == Exists("f", Guarded(Call("apply", ("f", "x")), named), "function")
    either = Compute("or", (named, is_("f", "name", "tosa.tanh")))
    assert found["among"].body == Guarded(ApplyVariable("f", (X,)), either)


def test_computed_operands_attributes_and_types_are_guards() -> None:
    found = body("""
        @pattern
        def p(x, y):
            return tosa.select(y, tosa.transpose(x, perms=y.perms, type=y.type), y.rank + 1)
    """)
    made = Apply("tosa.select", (Y, Variable("transpose"), Variable("c")))
    same = Compute("==", (AttributeOf("transpose", ("perms",)), AttributeOf("y", ("perms",))))
    kind = Compute("==", (AttributeOf("transpose", ("type",)), AttributeOf("y", ("type",))))
    total = Compute("+", (AttributeOf("y", ("rank",)), Known(1)))
    wrapped = Compute("wrap", (total, AttributeOf("c", ("elType",))))
    value = Compute("==", (AttributeOf("c", ("value",)), wrapped))
    guarded = Guarded(Guarded(Guarded(made, same), kind), value)
    constrained = Constrained(guarded, "transpose", Apply("tosa.transpose", (X,)))
    assert found == Exists("transpose", Exists("c", constrained))


# Rules


def test_branches_of_rules() -> None:
    found = read("""
        @pattern
        def p(x):
            return arith.divf(x, 2.0)

        @rule(p)
        def as_product(z):
            if z.elType == "f16":
                return arith.mulf(z, 0.5, fastmath="fast")
            elif z.elType == "f32":
                return arith.mulf(z, 0.5)
    """)
    (rule,) = found.rules
    assert (rule.name, rule.pattern, rule.parameters) == ("as-product", "p", (Parameter("z"),))
    f16 = is_("z", "elType", "f16")
    operands = (Same("z"), Computed(Known(0.5)))
    fast = Build("arith.mulf", operands, (("fastmath", Known("fast")),))
    other = Compute("and", (Compute("!=", f16.args), is_("z", "elType", "f32")))  # type: ignore[union-attr]
    assert rule.branches == (Branch(f16, fast), Branch(other, Build("arith.mulf", operands)))


def test_function_variables_types_and_computed_literals_in_rules() -> None:
    (first, second) = read("""
        @pattern
        def p(x, f):
            return arith.addf(f(x), f(x))

        @rule(p)
        def once(x, f):
            return f(arith.mulf(x, 2.0, type=x.type))

        @law
        def power(x, c):
            assert is_power_of_two(c.value)
            return x * c, x << log2(c.value)
    """).rules
    doubled = Build("arith.mulf", (Same("x"), Computed(Known(2.0))), (), AttributeOf("x", ("type",)))
    assert first.parameters == (Parameter("x"), Parameter("f", "function"))
    assert first.branches == (Branch(TRUE, BuildVariable("f", (doubled,))),)
    exponent = Computed(Compute("log2", (AttributeOf("c", ("value",)),)))
    assert second.branches == (Branch(TRUE, Build("arith.shli", (Same("x"), exponent))),)


def test_a_law_is_a_definition_and_a_rule() -> None:
    found = read("""
        @law
        def muli_two(x):
            return x * 2, x << 1
    """)
    assert found.definitions["muli-two"].body == Apply("arith.muli", (X, Constant(2)))
    assert [(r.name, r.pattern) for r in found.rules] == [("muli-two", "muli-two")]


def test_locals_of_a_law_that_its_right_side_needs_are_parameters() -> None:
    found = read("""
        @law
        def l(x):
            y = tosa.transpose(x)
            return tosa.exp(y), tosa.transpose(tosa.exp(x), perms=y.perms)
    """)
    assert found.definitions["l"].parameters == (Parameter("x"), Parameter("y"))
    assert found.definitions["l"].body == Constrained(Apply("tosa.exp", (Y,)), "y", Apply("tosa.transpose", (X,)))
    attributes = (("perms", AttributeOf("y", ("perms",))),)
    built = Build("tosa.transpose", (Build("tosa.exp", (Same("x"),)),), attributes)
    assert found.rules[0].branches == (Branch(TRUE, built),)


def test_branches_of_laws() -> None:
    found = read("""
        @law
        def l(x, c):
            if c.value == 0:
                return x * c, arith.muli(c, 1)
            return x * c, c * x
    """)
    assert found.definitions["l"].body == Apply("arith.muli", (X, Variable("c")))
    assert [b.guard for b in found.rules[0].branches] == [
        is_("c", "value", 0),
        Compute("!=", (AttributeOf("c", ("value",)), Known(0))),
    ]


# Operators and files


def test_declared_operators() -> None:
    found = read("""
        @op
        def plain(x, y): ...

        @op("my.fused", results=2, type="y", effects=True, families=[unary_pointwise])
        def fused(x, y, *, scale): ...

        @op("my.any", type=2)
        def some(*xs): ...

        @pattern
        def p(x):
            first, second = fused(x, some(x, x, x), scale=2)
            return plain(first, second)
    """)
    fused = found.operators["my.fused"]
    assert (fused.arity, fused.results, fused.type, fused.effects) == (2, 2, 1, True)
    assert (fused.attributes, fused.families) == (("scale",), frozenset({"unary_pointwise"}))
    some = found.operators["my.any"]
    assert (some.arity, some.type) == (None, 2)
    assert found.operators["plain"].arity == 2


def test_each_file_has_patterns_of_its_own() -> None:
    first, second = (read(f"@pattern\ndef p(x):\n    return arith.{op}(x)\n") for op in ("negf", "extf"))
    assert first.definitions["p"].body == neg(X)
    assert second.definitions["p"].body == Apply("arith.extf", (X,))
