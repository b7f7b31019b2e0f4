"""Stores of one byte all over may come in any order, however arguments overlap; other equal values may not."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

M = "memref<?xi32>"
F = "memref<?xf32>"
ARGUMENTS = f"%A: {M}, %B: {M}, %C: {M}, %D: {M}, %F: {F}, %n: index, %m: index, %x: i32, %y: i32"
LITERALS = """%zero = arith.constant 0 : i32
%ones = arith.constant -1 : i32
%one = arith.constant 1 : i32
%none = arith.constant 0.0 : f32
%minus = arith.constant -0.0 : f32
"""


def verdict(source: str, target: str) -> tuple[str, str]:
    texts = [f"func.func @f({ARGUMENTS}) {{\n{LITERALS}{body}return\n}}\n" for body in (source, target)]
    (found,) = check(*texts, ("s.mlir", "t.mlir"), Options(switches=Switches(may_overlap=True))).functions
    return found.verdict, "" if found.unknown is None else found.unknown.text


def put(array: str, value: str = "zero", at: str = "%i") -> str:
    return f"affine.store %{value}, %{array}[{at}] : {F if array == 'F' else M}\n"


def loop(*body: str, end: str = "%n") -> str:
    return f"affine.for %i = 0 to {end} {{\n{''.join(body)}}}\n"


def copied(source: str, target: str) -> str:
    return f"%v = affine.load %{source}[3] : {M}\naffine.store %v, %{target}[1] : {M}\n"


BRANCH = "%p = arith.cmpi sgt, %x, %y : i32\nscf.if %p {\n" + put("A") + "}\n"
BOTH = loop(put("A"), put("B"))


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (BOTH, loop(put("A")) + loop(put("B"))),
        (BOTH, loop(put("B"), put("A"))),
        (loop(put("A", "ones")) + loop(put("B", "ones")), loop(put("B", "ones")) + loop(put("A", "ones"))),
        (loop(put("A"), put("F", "none")), loop(put("F", "none")) + loop(put("A"))),
        # Of three, where a read of the last finds what was there before.
        (loop(put("A"), put("B"), put("C")), loop(put("C")) + loop(put("B")) + loop(put("A"))),
        (BOTH + copied("C", "D"), loop(put("B")) + loop(put("A")) + copied("C", "D")),
        (loop(put("C", "x")) + BOTH, loop(put("C", "x")) + loop(put("B")) + loop(put("A"))),
        # Only some of them, and what is written before all or after all.
        (loop(put("A")) + loop(put("B"), end="%m"), loop(put("B"), end="%m") + loop(put("A"))),
        (BOTH + loop(put("A", "x"), end="%m"), loop(put("B")) + loop(put("A")) + loop(put("A", "x"), end="%m")),
        (loop(BRANCH, put("B")), loop(put("B")) + loop(BRANCH)),
    ],
)
def test_fills_in_any_order(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(source, target) == ("equivalent", "")
    assert verdict(target, source) == ("equivalent", "")


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        # Elements may overlap in part: of a number with other bytes the order shows.
        (loop(put("A", "one"), put("B", "one")), loop(put("B", "one")) + loop(put("A", "one"))),
        (loop(put("A", "x"), put("B", "x")), loop(put("B", "x")) + loop(put("A", "x"))),
        (loop(put("A"), put("F", "minus")), loop(put("F", "minus")) + loop(put("A"))),
    ],
)
def test_other_equal_values(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(source, target)[0] in ("unknown", "not-equivalent")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (loop(put("A"), put("B", "ones")), loop(put("B", "ones")) + loop(put("A"))),
        # Something else is written in between, before or after.
        (
            loop(put("A")) + loop(put("C", "x")) + loop(put("B")),
            loop(put("B")) + loop(put("C", "x")) + loop(put("A")),
        ),
        (loop(put("C", "x")) + BOTH, loop(put("A")) + loop(put("C", "x")) + loop(put("B"))),
        (BOTH + loop(put("A", "x")), loop(put("A")) + loop(put("A", "x")) + loop(put("B"))),
        # More elements on one side, none on one, and a read in between.
        (BOTH, BOTH + loop(put("B"), end="%m")),
        (BOTH, loop(put("A"))),
        (
            put("A", at="0") + f"%v = affine.load %B[0] : {M}\n" + put("B", at="0") + put("C", "v", at="0"),
            put("B", at="0") + f"%v = affine.load %B[0] : {M}\n" + put("A", at="0") + put("C", "v", at="0"),
        ),
    ],
)
def test_order_that_shows(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(source, target)[0] == "not-equivalent"
