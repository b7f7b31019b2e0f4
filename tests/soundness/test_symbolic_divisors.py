"""Divisions by indices that are not known: `affine`'s, which are undefined where the divisor is not positive, and what
`lower-affine` makes of them (`hecv.program.index.raising`, `hecv.normal.preconditions.positive_divisors`)."""

from __future__ import annotations

from itertools import product

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.mlir.importer import read_function
from hecv.normal.preconditions.positive_divisors import stricter
from hecv.run.interpreter.interpreter import Finished, Undefined, compile

from .running import parsed
from .test_conditions import proof


def loop(body: str, before: str = "") -> str:
    """Stores to the element `%r + 4` of each iteration."""
    return f"""func.func @f(%A: memref<?xf32>, %b: index, %n: index, %k: index, %x: f32) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ones = arith.constant -1 : index
  %four = arith.constant 4 : index
{before}
  affine.for %i = 0 to %n {{
{body}
    %at = arith.addi %r, %four : index
    memref.store %x, %A[%at] : memref<?xf32>
  }}
  return
}}"""


def divided(expression: str) -> str:
    return loop(f"%r = affine.apply affine_map<(i)[b, k] -> ({expression})>(%i)[%b, %k]")


ASSERTED = '%p = arith.cmpi sgt, %b, %zero : index\ncf.assert %p, ""'

FLOOR = """%s = arith.addi %i, %k : index
%c = arith.cmpi slt, %s, %zero : index
%m = arith.subi %ones, %s : index
%d = arith.select %c, %m, %s : index
%q = arith.divsi %d, %b : index
%w = arith.subi %ones, %q : index
%r = arith.select %c, %w, %q : index"""
REST = """%s = arith.addi %i, %k : index
%q = arith.remsi %s, %b : index
%c = arith.cmpi slt, %q, %zero : index
%w = arith.addi %q, %b : index
%r = arith.select %c, %w, %q : index"""
PAIRS = {
    "floordiv": (divided("(i + k) floordiv b"), loop(FLOOR)),
    "mod": (divided("(i + k) mod b"), loop(REST)),
    "floordiv of a negation": (divided("(k - i) floordiv b"), loop(FLOOR.replace("addi %i, %k", "subi %k, %i"))),
    "what is not negative": (divided("i floordiv b"), loop("%r = arith.divsi %i, %b : index")),
    "mod of what is not negative": (divided("i mod b"), loop("%r = arith.remsi %i, %b : index")),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PAIRS)
def test_a_lowered_division_refines(name: str) -> None:
    options = Options()
    report = check(*PAIRS[name], ("source.mlir", "target.mlir"), options)
    assert report.verdict == "refines"
    assert "positive-divisor" in [rule.name for rule in report.functions[0].rules]


@pytest.mark.parametrize("name", PAIRS)
def test_where_the_divisor_is_said_to_be_positive_they_are_equal(name: str) -> None:
    source, target = (text.replace("  affine.for", f"{ASSERTED}\n  affine.for") for text in PAIRS[name])
    assert proof(source, target) in ("one form", "array dataflow")


@pytest.mark.parametrize("name", PAIRS)
def test_the_source_does_not_refine_what_is_lowered(name: str) -> None:
    """With a divisor of -1 `affine`'s is undefined, and that of `arith` is not."""
    source, target = PAIRS[name]
    assert check(target, source, ("source.mlir", "target.mlir"), Options()).verdict == "not-equivalent"


SUM = "%s = arith.addi %i, %k : index"
BROKEN = {
    "rounded to zero": (
        divided("(i + k) floordiv b"),
        loop(f"{SUM}\n%r = arith.divsi %s, %b : index"),
    ),
    "the rest of a negative": (
        divided("(i + k) mod b"),
        loop(f"{SUM}\n%r = arith.remsi %s, %b : index"),
    ),
    "the other branch": (divided("(i + k) floordiv b"), loop(FLOOR.replace("slt", "sge"))),
    "one off": (divided("(i + k) floordiv b"), loop(FLOOR.replace("%w = arith.subi %ones", "%w = arith.subi %zero"))),
    "less by the divisor": (divided("(i + k) mod b"), loop(REST.replace("addi %q, %b", "subi %q, %b"))),
    "another divisor": (divided("i floordiv b"), loop("%r = arith.divsi %i, %k : index")),
    "before a loop that may not run": (
        divided("i floordiv b"),
        loop("%r = arith.divsi %i, %b : index", "%z = arith.divsi %n, %b : index"),
    ),
}


@pytest.mark.one_in(14)
@pytest.mark.parametrize("name", BROKEN)
def test_what_differs_is_not_proved(name: str) -> None:
    source, target = BROKEN[name]
    assert proof(source, target) is None
    assert check(source, target, ("source.mlir", "target.mlir"), Options()).verdict == "not-equivalent"
    asserted = tuple(text.replace("  affine.for", f"{ASSERTED}\n  affine.for") for text in (source, target))
    assert proof(*asserted) is None or "may not run" in name


def stored(text: str) -> str:
    """The program with `%r` stored as a number of 32 bits, in place of an element at it."""
    value = "%v = arith.index_cast %r : index to i32\nmemref.store %v, %A[%i] : memref<?xi32>"
    return text.replace("memref.store %x, %A[%at] : memref<?xf32>", value).replace("memref<?xf32>", "memref<?xi32>")


WITHIN = {
    "floordiv": (divided("i floordiv b"), loop(FLOOR.replace("addi %i, %k", "addi %i, %zero"))),
    "mod": (divided("i mod b"), loop(REST.replace("addi %i, %k", "addi %i, %zero"))),
    "mod of what is not negative": PAIRS["mod of what is not negative"],
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WITHIN)
def test_a_division_within_a_value(name: str) -> None:
    source, target = map(stored, WITHIN[name])
    assert check(source, target, ("source.mlir", "target.mlir"), Options()).verdict == "refines"


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", ["the rest of a negative", "one off", "less by the divisor"])
def test_another_division_within_a_value(name: str) -> None:
    source, target = map(stored, BROKEN[name])
    assert proof(source, target) is None
    assert check(source, target, ("source.mlir", "target.mlir"), Options()).verdict == "not-equivalent"


def test_a_stricter_target_does_what_the_target_does() -> None:
    pool = TermPool()
    source, target = (read_function(parsed(text), "f", pool) for text in PAIRS["floordiv"])
    made = stricter(pool, source, target)
    assert made is not None
    undefined = 0
    for b, n, k in product((-2, -1, 1, 2, 3), range(3), (-1, 0, 2)):
        ends = [compile(f).run((Buffer((8,), [0.0] * 8), b, n, k, 1.0)) for f in (target, made)]
        if isinstance(ends[1], Undefined):
            undefined += 1
            assert isinstance(ends[0], Undefined) or b <= 0
        else:
            assert isinstance(ends[0], Finished) and isinstance(ends[1], Finished)
            assert replace(ends[0], steps=0) == replace(ends[1], steps=0)
    assert undefined


def test_nothing_is_stricter_where_the_source_says_nothing() -> None:
    pool = TermPool()
    source, target = (read_function(parsed(text), "f", pool) for text in BROKEN["another divisor"])
    assert stricter(pool, source, target) is None
    assert stricter(pool, target, target) is None


def returned(body: str) -> str:
    """Returns `%r`."""
    lines = "\n".join(f"%{n} = arith.constant {v} : index" for n, v in (("zero", 0), ("ones", -1)))
    return f"func.func @f(%i: index, %b: index) -> index {{\n{lines}\n{body}\nreturn %r : index\n}}"


ONE = {
    name: text.replace(SUM, "%s = arith.addi %i, %zero : index") for name, text in (("floor", FLOOR), ("rest", REST))
}
VALUES = {
    "floordiv": ("i floordiv b", ONE["floor"], True),
    "mod": ("i mod b", ONE["rest"], True),
    "rounded to zero": ("i floordiv b", "%r = arith.divsi %i, %b : index", False),
    "the rest of a negative": ("i mod b", "%r = arith.remsi %i, %b : index", False),
    "another sign": ("i mod b", ONE["rest"].replace("slt", "sgt"), False),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", VALUES)
def test_values_are_divided_alike(name: str) -> None:
    expression, body, right = VALUES[name]
    lines = f"%r = affine.apply affine_map<(i)[b] -> ({expression})>(%i)[%b]", body
    source, target = map(returned, lines)
    verdict = check(source, target, ("source.mlir", "target.mlir"), Options()).verdict
    assert verdict == ("refines" if right else "not-equivalent")
    asserted = (returned(f"{ASSERTED}\n{text}") for text in lines)
    assert (proof(*asserted) in ("one form", "array dataflow")) == right


WRAPPED = {
    "arith": "%q = arith.divsi %x, %e : index",
    "affine": "%q = affine.apply affine_map<(x)[e] -> (x floordiv e)>(%x)[%e]",
}


@pytest.mark.parametrize("name", WRAPPED)
def test_a_divisor_is_not_shown_positive_by_what_does_not_overflow(name: str) -> None:
    """`n + n + 2` is 0 where `n` is the largest index: only subscripts, bounds and affine expressions do not wrap."""

    def function(body: str) -> str:
        return f"""func.func @f(%n: index, %x: index) {{
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %c = arith.cmpi sge, %n, %zero : index
  cf.assert %c, "n"
{body}
  return
}}"""

    target = f"%d = arith.addi %n, %n : index\n%e = arith.addi %d, %two : index\n{WRAPPED[name]}"
    assert proof(function(""), function(target)) is None
