"""Loops over spans that are unrolled with a remainder, in strips, or without their first iteration, are loops over
spans: they do what they did, and no side condition is idle."""

from __future__ import annotations

import re
from itertools import islice
from random import Random
from typing import Final

import pytest
from msgspec.structs import replace
from tests.dataflow.test_histograms import verdict

from hecv.base.term import TermPool
from hecv.dataflow.dataflow_proof import Proved, prove
from hecv.dataflow.pair_model import Pair
from hecv.normal.indirect import csr_strips
from hecv.normal.indirect.csr_strips import count_csr_loops, join_csr_strips
from hecv.normal.loops.rerolling import reroll
from hecv.normal.passes import normalize
from hecv.run.interpreter.interpreter import compile

from .running import STEPS, conclusive, inputs, read, unequal
from .test_normal_form import explicit

ARGUMENTS = "%ptr: memref<?xindex>, %in: memref<?xi32>, %x: memref<?xi32>, %b: memref<index>, %n: index, %p: i1"
HEAD = f"""func.func @f({ARGUMENTS}) {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%none = arith.constant 0 : i32
"""
ROWS = """scf.for %i = %c0 to %n step %c1 {
%i1 = arith.addi %i, %c1 : index
"""
SPAN = """%lo = memref.load %ptr[%i] : memref<?xindex>
%hi = memref.load %ptr[%i1] : memref<?xindex>
"""
EACH = "scf.for %k = %lo to %hi step %c1 {\n"
MIDDLE = """%d = arith.subi %hi, %lo : index
%r = arith.remsi %d, %c2 : index
%w = arith.subi %d, %r : index
%mid = arith.addi %lo, %w : index
"""
ROUNDED = "%mid = affine.apply affine_map<(d0, d1) -> (d0 + ((d1 - d0) floordiv 2) * 2)>(%lo, %hi)\n"
PAIRS, REST = "scf.for %k = %lo to %mid step %c2 {\n", "scf.for %k = %mid to %hi step %c1 {\n"
STRIPS = """scf.for %t = %lo to %hi step %c2 {
%e0 = arith.addi %t, %c2 : index
%e = arith.minsi %e0, %hi : index
scf.for %k = %t to %e step %c1 {
"""
FIRST = """%lo1 = arith.addi %lo, %c1 : index
%some = arith.cmpi slt, %lo, %hi : index
scf.if %some {
"""
OTHERS = "scf.for %k = %lo1 to %hi step %c1 {\n"
UNSET = """%u = memref.alloc() : memref<1xindex>
%v0 = memref.load %u[%c0] : memref<1xindex>
%v1 = arith.addi %mid, %v0 : index
%same = arith.subi %v1, %v0 : index
"""


def double(k: str = "%k", name: str = "a") -> str:
    return f"""%v{name} = memref.load %in[{k}] : memref<?xi32>
%s{name} = arith.addi %v{name}, %v{name} : i32
memref.store %s{name}, %x[{k}] : memref<?xi32>
"""


def twice(body: str) -> str:
    second = body.replace("%k", "%k1").replace("%va", "%vb").replace("%sa", "%sb")
    return f"{body}%k1 = arith.addi %k, %c1 : index\n{second}"


def f(*parts: str) -> str:
    return HEAD + "".join(parts) + "return\n}\n"


def rows(*parts: str) -> str:
    return f(ROWS, SPAN, *parts, "}\n")


SOURCE = rows(EACH, double(), "}\n")
FROM_ZERO = "scf.for %q = %lo to %hi step %c1 {\n%k = arith.subi %q, %lo : index\n"
STRIPS_FROM_ZERO = """%all = arith.subi %hi, %lo : index
scf.for %t = %lo to %hi step %c2 {
%b0 = arith.subi %t, %lo : index
%e0 = arith.addi %b0, %c2 : index
%e = arith.minsi %e0, %all : index
scf.for %k = %b0 to %e step %c1 {
"""
FROM_ONE = "%k1 = arith.addi %k, %c1 : index\n"
SAME: Final[dict[str, tuple[str, str]]] = {
    "unrolled": (SOURCE, rows(MIDDLE, PAIRS, twice(double()), "}\n", REST, double(), "}\n")),
    "in strips": (SOURCE, rows(STRIPS, double(), "}\n}\n")),
    "in strips from 0": (rows(FROM_ZERO, double(), "}\n"), rows(STRIPS_FROM_ZERO, double(), "}\n}\n")),
    "without the first": (SOURCE, rows(FIRST, double("%lo"), "}\n", OTHERS, double(), "}\n")),
    "strips that are unrolled": (
        rows(STRIPS, double(), "}\n}\n"),
        rows(MIDDLE, PAIRS, twice(double()), "}\n", REST, double(), "}\n"),
    ),
}
LOOKS = "scf.for %c = %c0 to %c2 step %c1 {\n%g{0} = memref.load %x[%c] : memref<?xi32>\n"
LOOKS += '%ok{0} = arith.cmpi sge, %g{0}, %none : i32\ncf.assert %ok{0}, "negative"\n'
ACTS = "%less = arith.constant -1 : i32\nmemref.store %less, %x[%c1] : memref<?xi32>\n"
APART = LOOKS.replace("{0}", "0") + "}\nscf.for %c = %c0 to %c2 step %c1 {\n" + ACTS + "}\n"
TOGETHER = LOOKS.replace("{0}", "0") + ACTS + "}\n"
END = "%lo = arith.addi %c0, %c0 : index\n%hi = memref.load %b[] : memref<index>\n"
LOST = double() + "memref.store %c0, %b[] : memref<index>\n"
AGAIN = re.sub(r"%(hi|d|r|w|mid|lo)\b", r"%\g<1>2", END + MIDDLE)
REST_AGAIN = REST.replace("%mid", "%mid2").replace("%hi", "%hi2")
WRONG: Final[dict[str, tuple[str, str]]] = {
    "bounds that are written": (
        f(END, EACH, LOST, "}\n"),
        f(END, MIDDLE, PAIRS, twice(LOST), "}\n", AGAIN, REST_AGAIN, LOST, "}\n"),
    ),
    "rounded down": (SOURCE, rows(ROUNDED, PAIRS, twice(double()), "}\n", REST, double(), "}\n")),
    "in strips from 1": (
        rows(FROM_ZERO, double(), "}\n"),
        rows(STRIPS_FROM_ZERO, FROM_ONE, double("%k1"), "}\n}\n"),
    ),
    "a bound that is not set": (
        SOURCE,
        rows(
            MIDDLE,
            UNSET,
            PAIRS.replace("%mid", "%same"),
            twice(double()),
            "}\n",
            REST.replace("%mid", "%same"),
            double(),
            "}\n",
        ),
    ),
    "one too many": (SOURCE, rows(FIRST.replace("slt", "sle"), double("%lo"), "}\n", OTHERS, double(), "}\n")),
    "one sometimes": (
        SOURCE,
        rows(
            FIRST.replace("scf.if %some", "%may = arith.andi %some, %p : i1\nscf.if %may"),
            double("%lo"),
            "}\n",
            OTHERS,
            double(),
            "}\n",
        ),
    ),
    "looks at what is done": (
        f(ROWS, SPAN, EACH, double(), "}\n}\n", APART),
        f(ROWS, SPAN, EACH, double(), "}\n}\n", TOGETHER),
    ),
}
DROPPED: Final[dict[str, tuple[str, object]]] = {
    "rounded down": ("_is_between", lambda *_: True),
    "looks at what is done": ("_are_fixed", lambda *_: True),
}


@pytest.mark.parametrize("name", SAME)
def test_pieces_of_spans_are_spans(name: str) -> None:
    assert verdict(*SAME[name]) == "equivalent"


def shown(source: str, target: str) -> bool:
    """Whether array dataflow shows that the target refines the source."""
    pool = TermPool()
    return isinstance(prove(Pair(pool, read(source, pool), read(target, pool), ())), Proved)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_a_pair_that_differs_is_not_proved(name: str) -> None:
    assert not shown(*WRONG[name])


@pytest.mark.parametrize("name", DROPPED)
def test_what_a_side_condition_is_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, the pair that differs would be proved."""
    monkeypatch.setattr(csr_strips._CsrStripJoiner, *DROPPED[name])
    assert shown(*WRONG[name])


def test_what_is_read_in_the_middle_is_read_at_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csr_strips, "_loads", lambda terms: frozenset[int]())
    assert shown(*WRONG["a bound that is not set"])


@pytest.mark.parametrize("text", [target for _, target in (*SAME.values(), *WRONG.values())])
def test_the_same_is_done(text: str) -> None:
    pool, random = TermPool(), Random(1)
    given = read(text, pool)
    form = normalize(pool, given)
    whole = join_csr_strips(pool, frozenset(), join_csr_strips(pool, frozenset(), reroll(pool, given, form)))
    assert count_csr_loops(whole) <= count_csr_loops(form)
    programs = [compile(replace(given, body=explicit(body))) for body in (form, whole)]
    met = 0
    for arguments in islice(inputs(given, random), 60):
        ends = [p.run(arguments, STEPS) for p in programs]
        if conclusive(*ends):
            met += 1
            assert unequal(*ends) is None, arguments
    assert met > 5
