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


@pytest.mark.parametrize(
    ("head", "body"),
    [
        # The target writes an element, though it is what it was.
        (
            "(%A: memref<4xf32> {llvm.readonly}, %x: f32) -> f32",
            "%z = arith.constant 0 : index\n%y = memref.load %A[%z] : memref<4xf32>\n"
            "memref.store %y, %A[%z] : memref<4xf32>\nreturn %x : f32\n",
        ),
        # The target alone has an op of which the result is poison for a NaN, or may be flushed to zero.
        *(
            (
                f"(%A: memref<4xf32>, %x: f32) -> f32 attributes {{{said}}}",
                "%c = arith.constant 1.0 : f32\n%y = arith.mulf %x, %c : f32\nreturn %y : f32\n",
            )
            for said in (
                "no_nans_fp_math = true",
                'denormal_fp_math = "preserve-sign"',
                'passthrough = [["denormal-fp-math", "preserve-sign"]]',
            )
        ),
    ],
)
def test_what_both_say_need_not_hold_of_another_program(head: str, body: str) -> None:
    source, target = (f"func.func @f{head} {{\n{text}}}\n" for text in ("return %x : f32\n", body))
    assert verdict(source, target) == "unknown"
    assert verdict(target, target) == "equivalent"


def test_what_is_kept_by_what_refines_a_function() -> None:
    head = "func.func @f(%A: memref<4xi32> {llvm.noalias}, %n: i32 {llvm.noundef}) -> (i32 {llvm.noundef}) {\n"
    assert verdict(head + "return %n : i32\n}", head + "%m = arith.addi %n, %n : i32\nreturn %m : i32\n}") == (
        "not-equivalent"
    )
    assert verdict(head + "return %n : i32\n}", head + "%m = arith.ori %n, %n : i32\nreturn %m : i32\n}") == (
        "equivalent"
    )


@pytest.mark.parametrize(
    ("declared", "bodies"),
    [
        # No element changes.
        (
            "(memref<4xi32> {llvm.readonly}) -> i32",
            (
                "%x = memref.load %A[%z] : memref<4xi32>\n%r = call @g(%A) : (memref<4xi32>) -> i32\n",
                "%r = call @g(%A) : (memref<4xi32>) -> i32\n%x = memref.load %A[%z] : memref<4xi32>\n",
            ),
        ),
        # Both calls give the same, and do nothing else.
        (
            "(i32) -> i32 attributes {llvm.readnone, no_unwind, will_return}",
            (
                "%s = call @g(%n) : (i32) -> i32\n%x = call @g(%n) : (i32) -> i32\n",
                "%x = call @g(%n) : (i32) -> i32\n",
            ),
        ),
        # It gives 0 or 1.
        (
            "(i32) -> (i32 {llvm.range = #llvm.constant_range<i32, 0, 2>})",
            (
                "%y = call @g(%n) : (i32) -> i32\n%x = arith.minsi %y, %c : i32\n",
                "%x = call @g(%n) : (i32) -> i32\n",
            ),
        ),
        # Only the target makes the call no more; what it is given may not overlap, and does.
        (
            "(memref<4xi32> {llvm.noalias}, memref<4xi32>) -> i32",
            ("%x = call @g(%A, %A) : (memref<4xi32>, memref<4xi32>) -> i32\n", "%x = arith.constant 7 : i32\n"),
        ),
    ],
)
def test_answers_that_are_drawn_respect_no_promises(declared: str, bodies: tuple[str, str]) -> None:
    head = f"func.func private @g{declared}\nfunc.func @f(%A: memref<4xi32>, %n: i32) -> i32 {{\n"
    head += "%z = arith.constant 0 : index\n%c = arith.constant 1 : i32\n"
    source, target = (f"{head}{body}return %x : i32\n}}\n" for body in bodies)
    assert verdict(source, target) == "unknown"
