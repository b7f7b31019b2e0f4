"""Rules of users in the e-graph: admitted or not, recursive ones, those over operators, and those that make it grow."""

from __future__ import annotations

import pytest

from hecv.base.term import OPAQUE, Term
from hecv.base.types import BOOL, INDEX, FloatType, IntType, OpaqueType
from hecv.egraph.saturation.dynamic_rules import Dynamic, dynamic_rule
from hecv.egraph.saturation.rule_admission import admission, prover
from hecv.egraph.saturation.rule_evidence import FalseLaw
from hecv.egraph.saturation.runner import Answer, Budget
from hecv.egraph.saturation.term_engine import TermEngine
from hecv.egraph.session import Contradiction
from hecv.laws.all_laws import LAWS
from hecv.laws.audit.equation_evidence import Judge
from hecv.patterns.equations.law_record import integer
from hecv.patterns.typing.typed_rules import laws_of
from hecv.rule_files.rule_loader import loads

from .terms import Terms

JUDGE = Judge(prover(LAWS, 64))
F32 = FloatType("f32")
I32 = integer(32)
TENSOR = OpaqueType("tensor<4xf32>")


def engine(text: str, trust: bool = False, budget: Budget | None = None, book: bool = True) -> TermEngine:
    file = loads("from hecv.rules import *\n" + text, "rules.py")
    found = laws_of(file)
    rules = [dynamic_rule(r, file.definitions, file.operators) for r in file.rules if r.name in found.others]
    admitted = admission(found.laws, JUDGE, trust)
    return TermEngine((*(LAWS if book else ()), *found.laws), budget, 64, admitted, Dynamic(rules, admitted, 64))


def call(t: Terms, op: str, *args: Term) -> Term:
    return t.pool.make(f"math.{op}", args, args[0].type)


def opaque(t: Terms, name: str, *args: Term) -> Term:
    return t.pool.make(OPAQUE, args, TENSOR, (("name", name), ("key", f"{name} of {len(args)}")))


EVEN_PRODUCT = """
@law
def even_product(x):
    return (x * (x + 1)) & 1, 0
"""


def chain(t: Terms, length: int) -> tuple[Term, Term]:
    """A sum of one operand many times, with what the law says is 0, and without."""
    left = right = t.leaf(0)
    for _ in range(length):
        product = t.op("muli", left, t.op("addi", left, t.literal(1)))
        zero = t.op("andi", product, t.literal(1))
        left, right = t.op("addi", t.op("xori", left, zero), t.leaf(1)), t.op("addi", right, t.leaf(1))
    return left, right


def test_says_which_rule_it_judges() -> None:
    """So that a time-out of the audit has a name."""
    admitted = admission(laws_of(loads("from hecv.rules import *\n" + EVEN_PRODUCT, "rules.py")).laws, JUDGE, False)
    judged: list[str] = []
    admitted.noted = judged.append
    (law,) = laws_of(loads("from hecv.rules import *\n" + EVEN_PRODUCT, "rules.py")).laws
    instance = law.instance([I32])
    assert instance is not None and admitted.admit(instance) is not None
    assert judged == ["even-product"]


@pytest.mark.one_in(6)
def test_proved_law_is_used_and_named() -> None:
    source, target = chain(Terms(), 6)
    answer = engine(EVEN_PRODUCT).equal(source, target)
    assert answer.proved and answer.rules["even-product"] >= 6 and answer.evidence == {"even-product": "proved"}
    assert not TermEngine(LAWS).equal(source, target).proved


def test_false_law() -> None:
    t = Terms()
    x, y = t.leaf(0), t.leaf(1)
    with pytest.raises(FalseLaw) as raised:
        engine("@law\ndef off(x, y):\n    return x + y, x - y\n").equal(t.op("addi", x, y), t.op("muli", x, y))
    problem = raised.value
    assert (problem.rule, problem.place) == ("off", "rules.py:3")
    assert "for x = " in problem.text and "the left side is" in problem.text


def test_law_false_for_some_literals() -> None:
    """A guard that a program's literal shows to be too weak is found when that literal is met."""
    text = """
@law
def thirds(x, c):
    assert c.value * c.value > 5900 and c.value * c.value < 9800
    return x * c, x * 77
"""
    t = Terms()
    with pytest.raises(FalseLaw, match="c = 90"):
        engine(text).equal(t.op("muli", t.leaf(0), t.literal(90)), t.leaf(1))


def test_literals_are_judged_one_by_one() -> None:
    text = """
@law
def power(x, c):
    assert is_power_of_two(c.value)
    return arith.mulsi_extended(x, c)[0], x << log2(c.value)
"""
    t = Terms()
    x = t.leaf(0)
    for factor, shift, proved in ((16, 4, True), (12, 4, False)):
        source = t.op("mulsi_extended", x, t.literal(factor), result=0)
        answer = engine(text, book=False).equal(source, t.op("shli", x, t.literal(shift)))
        assert answer.proved == proved and answer.evidence.get("power") == ("proved" if proved else None)


GUARDED = """
@law
def there_and_back(x, c):
    assert c.value >= 1 and c.value < x.width
    return arith.shrui(arith.shli(x, c), c), x & ((1 << (x.width - c.value)) - 1)

@law
def only_five(x, c):
    assert c.value == 5
    return arith.minsi(arith.maxsi(x, c), c), c
"""


def test_guards_on_literals() -> None:
    t = Terms()
    x, four, built = t.leaf(0), t.literal(4), engine(GUARDED, book=False)
    source = t.op("shrui", t.op("shli", x, four), four)
    assert built.equal(source, t.op("andi", x, t.literal((1 << 28) - 1))).rules["there-and-back"]
    for value, proved in ((5, True), (6, False)):
        bound = t.literal(value)
        between = t.op("minsi", t.op("maxsi", x, bound), bound)
        assert built.equal(t.op("xori", t.leaf(1), between), t.op("xori", t.leaf(1), bound)).proved == proved


def test_one_way_law_is_not_used() -> None:
    built = engine("@law\ndef same(x):\n    return arith.divui(x, x), 1\n", trust=True)
    t = Terms()
    assert not built.equal(t.op("divui", t.leaf(0), t.leaf(0)), t.literal(1)).proved
    refusal = built.refused["same"]
    assert refusal.why == "one-way" and "x = 0" in refusal.text


EVEN = "@law\ndef even(x):\n    return math.cos(arith.negf(x)), math.cos(x)\n"


@pytest.mark.parametrize("trust", [False, True])
def test_tested_law_needs_trust(trust: bool) -> None:
    t = Terms(F32)
    x = t.leaf(0)
    built = engine(EVEN, trust)
    answer = built.equal(call(t, "cos", t.op("negf", x)), call(t, "cos", x))
    assert answer.proved == trust and answer.evidence == ({"even": "tested"} if trust else {})
    assert ("even" in built.refused) != trust


def test_trusted_rules_that_contradict_the_book() -> None:
    built = engine(
        "@law\ndef off(x):\n    return math.exp(x), 1.0\n@law\ndef other(x):\n    return math.exp(x), 2.0\n", True
    )
    t = Terms(F32)
    with pytest.raises(Contradiction):
        built.equal(call(t, "exp", t.leaf(0)), t.leaf(1))


# Matched outside


IDEMPOTENT = """
@pattern
def twice(x, f):
    assert f in unary_pointwise
    return f(f(x))

@rule(twice)
def idempotent(x, f):
    if f.name == "math.absi" or f.name == "math.ctpop":
        return f(x)
"""


def test_function_variable() -> None:
    t = Terms()
    x = t.leaf(0)
    source, target = (t.op("xori", y, t.leaf(1)) for y in (call(t, "absi", call(t, "absi", x)), call(t, "absi", x)))
    answer = engine(IDEMPOTENT, book=False).equal(source, target)
    assert answer.proved and answer.rules["idempotent"] >= 1 and answer.evidence == {"idempotent": "proved"}


def test_function_variable_false_for_one_operator() -> None:
    """Bits of a number of bits are not the bits of the number; for the first operator the rule is right."""
    t = Terms()
    x = t.leaf(0)
    with pytest.raises(FalseLaw, match="idempotent"):
        engine(IDEMPOTENT).equal(call(t, "ctpop", call(t, "ctpop", x)), call(t, "ctpop", x))


ABSORBED = """
@pattern
def bounded(x, y):
    return arith.maxsi(arith.minsi(bounded(x, y), y), y)
@pattern
def bounded(x, y):
    return arith.maxsi(arith.minsi(x, y), y)

@rule(bounded)
def absorbed(x, y):
    return y
"""


def bounds(t: Terms, depth: int) -> Term:
    x, y = t.leaf(0), t.leaf(1)
    for _ in range(depth):
        x = t.op("maxsi", t.op("minsi", x, y), y)
    return x


@pytest.mark.parametrize("depth", [1, 12])
def test_recursive_pattern(depth: int) -> None:
    t = Terms()
    source, target = (t.op("shli", z, t.leaf(2)) for z in (bounds(t, depth), t.leaf(1)))
    assert not engine("", book=False).equal(source, target).proved
    answer = engine(ABSORBED, book=False).equal(source, target)
    assert answer.proved and answer.evidence == {"absorbed": "proved"}


@pytest.mark.parametrize("head", ["", "f"])
def test_poison_is_no_value(head: str) -> None:
    """What a rule makes of it is no equation; it was an internal error where the rule has no finite set of these."""
    text = f"""
@pattern
def chosen(c, x{", f" if head else ""}):
    return {head}(arith.select(c, x, x))

@rule(chosen)
def chosen_or_poison(c, x{", f" if head else ""}):
    return {head}(arith.select(c, x, ub.poison()))
"""
    t = Terms()
    x, y = t.leaf(0), t.leaf(1)
    same = t.pool.make("arith.select", (t.leaf(2, BOOL), x, x), x.type)
    source = t.op("addi", call(t, "ctpop", same), y)
    target = t.op("addi", call(t, "ctpop", x), t.op("muli", y, t.literal(1)))
    assert not engine(text, book=False).equal(source, target).proved
    assert engine(text).equal(source, target).proved


def test_operators_of_integers_make_no_floats() -> None:
    """A rule was said to be proved that made integers' sums, which associate, of floats'."""
    t = Terms(F32)
    x, y, z = (t.leaf(k) for k in range(3))
    left, right = t.op("addf", t.op("addf", x, y), z), t.op("addf", x, t.op("addf", y, z))
    text = "@law\ndef sum_of_bits(x, y):\n    return arith.addf(x, y), arith.addi(x, y)\n"
    assert not engine(text).equal(left, right).proved


OF_OTHER_TYPES = {
    "f32": ("x & x", "math.absi(x)", "arith.minsi(x, x)", "math.ipowi(x, x)", "index.add(x, x)", "x << 1"),
    "i32": ("math.copysign(x, x)", "math.exp(x)", "arith.select(math.isnan(x), x, x)", "math.fpowi(x, x)"),
    "f8E5M2": ("arith.bitcast(arith.bitcast(x, type='i8'))", "arith.truncf(arith.extf(x, type='f32'))"),
}


@pytest.mark.parametrize(("kind", "made"), [(kind, made) for kind, all_ in OF_OTHER_TYPES.items() for made in all_])
def test_what_has_no_such_type_is_not_made(kind: str, made: str) -> None:
    """These were internal errors."""
    text = f"@pattern\ndef any_of(f, x):\n    return f(x)\n\n@rule(any_of)\ndef other(f, x):\n    return f({made})\n"
    t = Terms(IntType(32) if kind == "i32" else FloatType(kind))
    name = "ctpop" if kind == "i32" else "absf"
    answer = engine(text, book=False).equal(call(t, name, t.leaf(0)), t.leaf(1))
    assert not answer.proved and not answer.evidence


OF_FLOATS = "arith.cmpf(arith.sitofp(x, type='f32'), arith.sitofp(y, type='f32'), predicate=m.predicate)"
COMPUTED = {
    "law": f"""
@law
def other(x, y):
    m = arith.cmpi(x, y, predicate="slt")
    return arith.select(m, x, y), arith.select({OF_FLOATS}, x, y)
""",
    "matched": f"""
@pattern
def chosen(f, x, y, m):
    return f(arith.select(m, x, y))

@rule(chosen)
def other(f, x, y, m):
    return f(arith.select({OF_FLOATS}, x, y))
""",
    "guard": """
@pattern
def chosen(f, x, y, m):
    return f(arith.select(m, x, y))

@rule(chosen)
def other(f, x, y, m):
    if arith.cmpi(x, 5, predicate=m.predicate + "?"):
        return f(arith.minsi(x, y))
    return f(arith.maxsi(x, y))
""",
}


@pytest.mark.parametrize("name", COMPUTED)
def test_an_attribute_that_is_computed_has_a_value_of_the_operator(name: str) -> None:
    """Comparisons of floats have no predicate `slt`: an internal error."""
    t = Terms()
    x, y = t.literal(3), t.leaf(1)
    source = call(t, "ctpop", t.choose(t.compare("slt", x, y), x, y))
    answer = engine(COMPUTED[name], book=False).equal(source, t.op("subi", x, y))
    assert not answer.proved and not answer.evidence


@pytest.mark.parametrize("name", ["f8E5M2", "f8E4M3FNUZ"])
def test_formats_that_the_solver_does_not_know(name: str) -> None:
    """Nothing is known of a rule there; it was an internal error."""
    text = """
@pattern
def of_sum(f, x, y):
    return f(arith.addf(x, y))

@rule(of_sum)
def of_difference(f, x, y):
    return f(arith.subf(x, arith.negf(y)))
"""
    t = Terms(FloatType(name))
    x, y = t.leaf(0), t.leaf(1)
    source, target = (call(t, "absf", t.op("addf", x, y)), call(t, "absf", t.op("subf", x, t.op("negf", y))))
    assert engine(text, book=False).equal(source, target).proved == (name == "f8E5M2")


def test_recursive_pattern_that_is_false() -> None:
    t = Terms()
    with pytest.raises(FalseLaw, match="absorbed"):
        engine(ABSORBED.replace("    return y\n", "    return x\n"), book=False).equal(bounds(t, 3), t.leaf(0))


OPAQUE_LAW = """
@op("my.blur")
def blur(x): ...

@law
def blur_blur(x):
    return blur(blur(x)), blur(x)
"""


@pytest.mark.parametrize("trust", [False, True])
def test_operator_without_meaning(trust: bool) -> None:
    t = Terms(TENSOR)
    x = t.leaf(0)
    source, target = opaque(t, "my.blur", opaque(t, "my.blur", opaque(t, "my.blur", x))), opaque(t, "my.blur", x)
    built = engine(OPAQUE_LAW, trust)
    answer = built.equal(source, target)
    assert answer.proved == trust and answer.evidence == ({"blur-blur": "trusted"} if trust else {})
    assert ("blur-blur" in built.refused) != trust
    other = opaque(t, "my.other", opaque(t, "my.other", x))
    assert not built.equal(other, opaque(t, "my.other", x)).proved


def test_new_operator_is_one_that_occurs() -> None:
    """What is not known of an operator's attributes is taken from one that occurs; of two, neither is."""
    text = (
        OPAQUE_LAW.replace("blur(x)\n", "sharp(x)\n", 1)
        .replace("@law", '@op("my.sharp")\ndef sharp(x): ...\n\n@law')
        .replace("return blur(blur(x)), blur(x)", "return blur(blur(x)), sharp(x)")
    )
    t = Terms(TENSOR)
    x = t.leaf(0)
    source = opaque(t, "my.blur", opaque(t, "my.blur", x))
    sharp = opaque(t, "my.sharp", x)
    assert engine(text, True).equal(source, sharp).proved
    second = t.pool.make(OPAQUE, (sharp,), TENSOR, (("name", "my.sharp"), ("key", "my.sharp with an attribute")))
    first = t.pool.make(OPAQUE, (source,), TENSOR, (("name", "my.sharp"), ("key", "my.sharp with an attribute")))
    assert not engine(text, True).equal(first, second).proved


STRUCTURAL = """
@pattern
def larger(x):
    assert x.op == "arith.andi"
    return arith.maxui(x, 1)

@rule(larger)
def as_it_is(x):
    return {}
"""


def test_guard_on_what_makes_a_value() -> None:
    """An equation knows nothing of what its variables are made by: it is proved without, or not used."""
    t = Terms()
    masked = t.op("andi", t.leaf(0), t.leaf(1))
    source = t.op("maxui", masked, t.literal(1))
    turned = t.op("shli", t.op("maxui", t.literal(1), masked), t.leaf(2))
    proved = engine(STRUCTURAL.format("arith.maxui(1, x)"), book=False).equal(t.op("shli", source, t.leaf(2)), turned)
    assert proved.proved
    built = engine(STRUCTURAL.format("x"), trust=True, book=False)
    assert not built.equal(source, masked).proved and built.refused["as-it-is"].why == "one-way"
    plain = t.op("maxui", t.leaf(0), t.literal(1))
    assert not engine(STRUCTURAL.format("x"), book=False).equal(plain, t.leaf(0)).proved


# Growth


GROWING = """
@law
def shifting(x, y):
    return x + y, (x + 3) + (y - 3)
"""


def grown(text: str, budget: Budget) -> Answer:
    t = Terms(INDEX)
    x, y = t.op("remsi", t.leaf(0), t.leaf(1)), t.op("remsi", t.leaf(2), t.leaf(3))
    source = t.op("divsi", t.op("addi", x, y), t.leaf(4))
    return engine(text, budget=budget).equal(source, t.op("divsi", x, t.leaf(4)))


def test_rule_that_does_not_terminate() -> None:
    answer = grown(GROWING, Budget(iterations=12, nodes=100_000))
    assert not answer.proved and answer.stop_reason in ("iteration-limit", "node-limit", "time-limit")
    assert max(answer.grown, key=lambda rule: answer.grown[rule]) == "shifting" and answer.grown["shifting"] > 20


EXPLODING = (
    GROWING
    + """
@law
def regrouped(x, y, z):
    return (x + y) + z, x + (y + z)

@law
def spread(x, y, z):
    return x * (y + z), x * y + x * z
"""
)


def test_rules_that_explode() -> None:
    answer = grown(EXPLODING, Budget(iterations=1_000, nodes=2_000, seconds=20.0))
    assert not answer.proved and answer.stop_reason == "node-limit" and answer.nodes <= 10_000
    assert answer.grown.keys() <= {"shifting", "regrouped", "spread"}


def test_no_match_is_left_out_for_want_of_room_alone() -> None:
    """A rule that has no room in one round does not keep others from proving."""
    source, target = chain(Terms(), 3)
    answer = engine(EVEN_PRODUCT + GROWING).equal(source, target)
    assert answer.proved


def test_matched_rule_that_does_not_terminate() -> None:
    text = """
@op("my.blur")
def blur(x): ...

@op("my.sharp")
def sharp(x): ...

@law
def sharpened(x):
    return blur(x), blur(sharp(x))
"""
    t = Terms(TENSOR)
    source, target = opaque(t, "my.blur", t.leaf(0)), opaque(t, "my.sharp", t.leaf(0))
    answer = engine(text, True, Budget(iterations=8)).equal(source, target)
    assert not answer.proved and answer.stop_reason == "iteration-limit" and answer.grown["sharpened"] >= 8
