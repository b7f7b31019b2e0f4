"""Values without sign, of indices and of words, compared as integers: where no operand is negative they are what the
ops with a sign give. What is assumed of arguments counts, and is tried at its ends."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.base.types import IntType
from hecv.check import Options, check
from hecv.dataflow.model.isl_translation import NotAffine, Parameters, Translator
from hecv.dataflow.model.value_dataflow import Isl
from hecv.run.evaluation.op_evaluation import Evaluator

LITERALS = "\n".join(f"%c{v} = arith.constant {v} : {{kind}}" for v in (0, 1, 2, 3, 8))
LOOP = """func.func @f(%A: memref<?xi32>, %n: {kind}) {{
{literals}
scf.for %i = %c0 to %n step %c1 : {kind} {{
{body}
{stored}
}}
return
}}"""
OF_INDICES = "%v = arith.index_cast %r : index to i32\nmemref.store %v, %A[%i] : memref<?xi32>"
OF_WORDS = "%k = arith.index_cast %i : i32 to index\nmemref.store %r, %A[%k] : memref<?xi32>"
VALUE = "func.func @f(%n: {kind}) -> {kind} {{\n{literals}\n{body}\nreturn %r : {kind}\n}}"

FLOOR = "%r = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%i)"
REST = "%r = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)"
CEIL = "%r = affine.apply affine_map<(d0) -> (d0 ceildiv 3)>(%i)"
BACK = "%x = arith.subi %i, %c3 : {kind}\n"
LEFT = "%x = arith.subi %n, %i : {kind}\n"


def verdict(form: str, kind: str, source: str, target: str, *assume: str) -> str:
    stored = OF_INDICES if kind == "index" else OF_WORDS
    given = {"kind": kind, "literals": LITERALS.format(kind=kind), "stored": stored}
    texts = [form.format(body=body.replace("{kind}", kind), **given) for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(assume=assume))
    assert not report.internal, report.diagnostics
    return report.verdict


def op(name: str, *operands: str) -> str:
    return f"%r = arith.{name} {', '.join('%' + o for o in operands)} : {{kind}}"


@pytest.fixture(autouse=True)
def provers_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (FLOOR, op("divui", "i", "c3")),
        (REST, op("remui", "i", "c3")),
        (CEIL, op("ceildivui", "i", "c3")),
        (op("divsi", "i", "c8"), op("shrui", "i", "c3")),
        (op("minsi", "i", "n"), op("minui", "i", "n")),
        (LEFT + op("divsi", "x", "c3"), LEFT + op("divui", "x", "c3")),
    ],
)
def test_a_counter_is_not_negative(source: str, target: str) -> None:
    assert verdict(LOOP, "index", source, target) == "equivalent"


COMPARED = "%q = arith.cmpi {}, %{}, %c3 : {{kind}}\n%w = arith.extui %q : i1 to i32\n"
CONNECTED = "%p = arith.cmpi {}, %i, %c8 : {{kind}}\n%q = arith.andi %p, %p : i1\n%w = arith.extui %q : i1 to i32\n"


def stored(kind: str) -> str:
    return "%r = arith.index_cast %w : i32 to index" if kind == "index" else "%r = arith.addi %w, %w : i32"


@pytest.mark.one_in(8)
@pytest.mark.parametrize("kind", ["index", "i32"])
def test_conditions_are_values(kind: str) -> None:
    def body(form: str, *names: str) -> str:
        return form.format(*names).replace("{{kind}}", "{kind}") + stored(kind)

    for one, other in (("sgt", "ugt"), ("sle", "ule")):
        assert verdict(LOOP, kind, body(COMPARED, one, "i"), body(COMPARED, other, "i")) == "equivalent"
        left = (BACK + body(COMPARED, name, "x") for name in (one, other))
        assert verdict(LOOP, kind, *left) == "not-equivalent"
        assert verdict(LOOP, kind, body(CONNECTED, one), body(CONNECTED, other)) == "equivalent"
    assert verdict(LOOP, kind, body(COMPARED, "sgt", "i"), body(COMPARED, "uge", "i")) == "not-equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("names", [("divsi", "divui"), ("remsi", "remui"), ("minsi", "minui")])
@pytest.mark.parametrize("kind", ["index", "i32"])
def test_what_a_counter_has_left_may_be_negative(kind: str, names: tuple[str, str]) -> None:
    assert verdict(LOOP, kind, *(BACK + op(name, "x", "c3") for name in names)) == "not-equivalent"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (op("divsi", "i", "c3"), op("divui", "i", "c3")),
        (op("remsi", "i", "c8"), op("remui", "i", "c8")),
        (op("remui", "i", "c2"), op("andi", "i", "c1")),
        (op("shrsi", "i", "c2"), op("shrui", "i", "c2")),
        (op("minsi", "i", "c8"), op("minui", "i", "c8")),
        (op("maxsi", "i", "c0"), op("addi", "i", "c0")),
    ],
)
def test_so_is_one_of_words(source: str, target: str) -> None:
    assert verdict(LOOP, "i32", source, target) == "equivalent"


WORDS = [("divui", "divsi"), ("remui", "remsi"), ("shrui", "shrsi"), ("minui", "minsi")]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["index", "i32"])
@pytest.mark.parametrize("names", WORDS)
def test_what_is_assumed_of_an_argument(kind: str, names: tuple[str, str]) -> None:
    source, target = (op(name, "n", "c3") for name in names)
    assert verdict(VALUE, kind, source, target, "n >= 0") == "equivalent"
    assert verdict(VALUE, kind, source, target, "n >= -1") == "not-equivalent"


def test_a_floor_that_no_loop_has() -> None:
    source, target = FLOOR.replace("%i", "%n"), op("divsi", "n", "c3")
    assert verdict(VALUE, "index", source, target, "n >= 0") == "equivalent"
    assert verdict(VALUE, "index", source, target) == "not-equivalent"


def test_a_sum_that_overflows_what_is_assumed() -> None:
    source, target = (f"%x = arith.addi %n, %c3 : {{kind}}\n{op(name, 'x', 'c3')}" for name in ("divui", "divsi"))
    assert verdict(VALUE, "i32", source, target, "n >= 0") == "not-equivalent"
    assert verdict(VALUE, "i32", source, target, "n >= 0", "n <= 100") == "equivalent"


def test_a_large_divisor_is_no_negative_one() -> None:
    source = "%d = arith.constant -3 : {kind}\n" + op("divui", "n", "d")
    assert verdict(VALUE, "i32", source, "%d = arith.constant -3 : {kind}\n" + op("divsi", "n", "d")) != "equivalent"


@pytest.mark.parametrize("name", ["divui", "remui", "shrui", "minui"])
def test_ops_on_words_are_held_as_they_are(name: str) -> None:
    pool, kind = TermPool(), IntType(4)
    argument, evaluate = pool.argument(0, kind), Evaluator(64)
    for literal in range(16):
        term = pool.make(f"arith.{name}", (argument, pool.integer(literal, kind)), kind)
        parameters = Parameters()
        translator = Translator(parameters, {})
        try:
            texts = [translator.index(t).text for t in (argument, term)]
        except NotAffine:
            assert literal == 0 or literal >= 8 or (name == "shrui" and literal >= 4)
            continue
        space = Isl(parameters, [], 1_000_000)
        for value in range(16):
            expected = evaluate(term, (value, literal))
            assert isinstance(expected, int)
            signed = [v - 16 if v >= 8 else v for v in (value, expected)]
            here = space.set(f"{{ : {texts[0]} = {signed[0]} and {texts[1]} = {signed[1]} }}")
            assert not here.is_empty(), (value, literal)
