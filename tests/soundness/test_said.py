"""Attributes of the `llvm` dialect are promises to a compiler: a target that promises more is not proved."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

HEAD = "func.func @f(%A: memref<4xf32>{}, %n: i32{}) -> (i32{}){} {{\n"
BODY = """%c0 = arith.constant 0 : index
%x = memref.load %A[%c0] : memref<4xf32>
memref.store %x, %A[%c0] : memref<4xf32>
"""
CALL = "func.func private @g(%m: i32{}) -> i32 {{\nreturn %m : i32\n}}\n"
OUTSIDE = "func.func private @g(i32{}) -> i32\n"
SAID = [
    (" {llvm.align = 64 : i64}", "", "", ""),
    (" {llvm.readonly}", "", "", ""),
    ("", " {llvm.noundef}", "", ""),
    ("", "", " {llvm.noundef}", ""),
    ("", "", "", " attributes {llvm.readnone}"),
]


def verdict(source: str, target: str) -> str:
    report = check(source, target, ("s.mlir", "t.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report.verdict


def function(said: tuple[str, str, str, str], before: str = "", called: bool = False) -> str:
    value = "%r = func.call @g(%n) : (i32) -> i32\nreturn %r : i32\n}\n" if called else "return %n : i32\n}\n"
    return before + HEAD.format(*said) + BODY + value


@pytest.mark.parametrize("said", SAID)
def test_a_target_that_says_more_is_unknown(said: tuple[str, str, str, str]) -> None:
    plain, saying = function(("", "", "", "")), function(said)
    assert verdict(plain, saying) == "unknown"
    assert verdict(saying, plain) == "refines"
    assert verdict(saying, saying) == "equivalent"


@pytest.mark.parametrize(
    "text",
    [
        'passthrough = ["noreturn"]',
        "no_nans_fp_math = true",
        'denormal_fp_math = "preserve-sign"',
        "will_return",
    ],
)
def test_what_is_handed_on_to_llvm(text: str) -> None:
    """MLIR's conversion makes an attribute of `llvm.func` of it, though it has no dialect here."""
    plain, saying = (function(("", "", "", s)) for s in ("", f" attributes {{{text}}}"))
    assert verdict(plain, saying) == verdict(saying, plain) == "unknown"
    assert verdict(saying, saying) == "equivalent"


def test_a_source_that_says_more_of_what_it_calls() -> None:
    plain, saying = (function(("", "", "", ""), OUTSIDE.format(s), True) for s in ("", " {llvm.noundef}"))
    assert verdict(saying, plain) == "refines"


@pytest.mark.parametrize("declared", [CALL, OUTSIDE])
def test_what_is_said_of_a_callee(declared: str) -> None:
    plain, saying = (function(("", "", "", ""), declared.format(s), True) for s in ("", " {llvm.noundef}"))
    assert verdict(plain, plain) == "equivalent"
    assert verdict(plain, saying) == "unknown"


def test_that_an_argument_of_a_callee_overlaps_no_other() -> None:
    """Such a function is given one memref twice, whatever is assumed of arguments."""
    declared = "func.func private @g(memref<4xi32>{}, memref<4xi32>)\nfunc.func @f(%A: memref<4xi32>) {{\n"
    body = "call @g(%A, %A) : (memref<4xi32>, memref<4xi32>) -> ()\nreturn\n}\n"
    plain, saying = (declared.format(said) + body for said in ("", " {llvm.noalias}"))
    assert verdict(plain, saying) == "unknown"
    assert verdict(saying, plain) == "refines"
    assert verdict(saying, saying) == "equivalent"


def test_what_is_said_of_a_call() -> None:
    plain = function(("", "", "", ""), OUTSIDE.format(""), True)
    saying = plain.replace("@g(%n) :", "@g(%n) {arg_attrs = [{llvm.noundef}]} :")
    assert "arg_attrs" in saying
    assert verdict(plain, saying) == "unknown"


def test_an_interface_for_c_says_nothing() -> None:
    assert verdict(function(("", "", "", "")), function(("", "", "", " attributes {llvm.emit_c_interface}"))) == (
        "equivalent"
    )
