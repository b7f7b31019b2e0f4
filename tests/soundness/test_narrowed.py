"""What a pass computes in fewer bits because no value needs more (`arith-int-range-narrowing`), or unsigned because
nothing is negative: one form in one width, and twins in which a value does need more, or has a sign."""

from __future__ import annotations

import pytest

from hecv.check import Options, check


def verdict(source: str, target: str, head: str) -> str:
    texts = [f"func.func @f{head} {{\n{body}\n}}" for body in (source, target)]
    report = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report.verdict


def extended(op: str, sign: str, narrow: str, wide: str = "i64") -> str:
    """An operator on two arguments that are extended."""
    casts = [f"%{n} = arith.ext{sign}i %{n[0]} : {narrow} to {wide}" for n in ("ax", "bx") if narrow != wide]
    operands = "%ax, %bx" if casts else "%a, %b"
    return "\n".join([*casts, f"%r = arith.{op} {operands} : {wide}"])


def again(op: str, sign: str, narrow: str, middle: str) -> str:
    """The same in fewer bits, and extended then."""
    return f"{extended(op, sign, narrow, middle)}\n%s = arith.ext{sign}i %r : {middle} to i64\nreturn %s : i64"


OPERATORS = [
    ("muli", "s", "i16", "i32", "i16"),
    ("muli", "u", "i16", "i32", "i16"),
    ("addi", "s", "i16", "i32", "i16"),
    ("divui", "u", "i16", "i16", ""),
    ("divui", "u", "i16", "i32", ""),
    ("remui", "u", "i32", "i32", ""),
    ("ceildivui", "u", "i32", "i32", ""),
    ("divsi", "s", "i16", "i32", "i16"),
    ("remsi", "s", "i16", "i32", "i16"),
    ("floordivsi", "s", "i16", "i32", "i16"),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("op", "sign", "narrow", "right", "wrong"), OPERATORS)
def test_operators_of_extensions(
    op: str, sign: str, narrow: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    head, source = f"(%a: {narrow}, %b: {narrow}) -> i64", f"{extended(op, sign, narrow)}\nreturn %r : i64"
    assert verdict(source, again(op, sign, narrow, right), head) == "equivalent"
    if wrong:  # a remainder is undefined for two values alone
        missed = ("unknown",) if op == "remsi" else ()
        assert verdict(source, again(op, sign, narrow, wrong), head) in ("not-equivalent", *missed)
    other = {"s": "u", "u": "s"}[sign]
    assert verdict(source, again(op, other, narrow, right), head) == "not-equivalent"


BOUNDED = """%k = arith.constant {bound} : {type}
%l = arith.constant 7 : {type}
%x = arith.remui %a, %k : {type}
%y = arith.minui %b, %l : {type}
"""
WIDE = BOUNDED + "%r = arith.muli %x, %y : {type}\n%q = arith.divsi %r, %l : {type}\nreturn %q : {type}"
IN_16 = (
    BOUNDED
    + """%s = arith.constant 7 : i16
%u = arith.{down} %x : {type} to i16
%v = arith.{down} %y : {type} to i16
%r = arith.muli %u, %v : i16
%q = arith.{div} %r, %s : i16
%z = arith.{up} %q : i16 to {type}
return %z : {type}"""
)
CASTS = {"i64": ("trunci", "extui"), "index": ("index_castui", "index_castui")}


@pytest.mark.parametrize("type_", CASTS)
@pytest.mark.parametrize(
    ("bound", "div", "expected"),
    [
        (1000, "divsi", "equivalent"),
        (1000, "divui", "equivalent"),
        (9000, "divui", "equivalent"),
        (9000, "divsi", "not-equivalent"),
        (10000, "divui", "not-equivalent"),
    ],
)
def test_operators_of_bounded_operands(
    type_: str, bound: int, div: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    down, up = CASTS[type_]
    given = {"type": type_, "bound": bound, "div": div, "down": down, "up": up}
    head = f"(%a: {type_}, %b: {type_}) -> {type_}"
    assert verdict(WIDE.format(**given), IN_16.format(**given), head) == expected


SIGNED = """%k = arith.constant {bound} : i64
%l = arith.constant 7 : i64
%x = arith.{bounded} %a, %k : i64
%d = arith.{div} %x, %l : i64
%m = arith.{rem} %x, %l : i64
%r = arith.muli %d, %m : i64
return %r : i64"""


@pytest.mark.parametrize(("bounded", "bound"), [("remui", 1000), ("minsi", 1000), ("remui", -8)])
def test_quotients_without_a_sign(bounded: str, bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    texts = (SIGNED.format(bounded=bounded, bound=bound, div=f"div{s}i", rem=f"rem{s}i") for s in ("s", "u"))
    expected = "equivalent" if (bounded, bound) == ("remui", 1000) else "not-equivalent"
    assert verdict(*texts, "(%a: i64, %b: i64) -> i64") == expected


CHAIN = """%x = arith.extsi %a : i8 to i64
%y = arith.extsi %b : i8 to i64
%z = arith.extsi %c : i16 to i64
%p = arith.muli %x, %y : i64
%s = arith.addi %p, %z : i64
return %s : i64"""
CHAIN_NARROW = """%x = arith.extsi %a : i8 to i16
%y = arith.extsi %b : i8 to i16
%p = arith.muli %x, %y : i16
%q = arith.extsi %p : i16 to {sum}
%z = arith.extsi %c : i16 to {sum}
%s = arith.addi %q, %z : {sum}
%r = arith.extsi %s : {sum} to i64
return %r : i64"""
CHAIN_SHORT = """%x = arith.extsi %a : i8 to i16
%y = arith.extsi %b : i8 to i16
%p = arith.muli %x, %y : i16
%s = arith.addi %p, %c : i16
%r = arith.extsi %s : i16 to i64
return %r : i64"""


def test_chains_of_several_widths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    head = "(%a: i8, %b: i8, %c: i16) -> i64"
    for width in ("i17", "i32"):
        assert verdict(CHAIN, CHAIN_NARROW.format(sum=width), head) == "equivalent"
    assert verdict(CHAIN, CHAIN_SHORT, head) == "not-equivalent"
