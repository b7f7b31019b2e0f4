"""Digits of an index by radices that are not known, and back: quotients by an index in polynomials, and values that are
poison unless a condition holds (`hecv.program.index.raising`)."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport


def function(body: str, results: str, arguments: str = "%x: index, %y: index, %z: index, %n: index, %m: index") -> str:
    count = results.count(",") + 1
    kinds = ", ".join(["index"] * count)
    return f"func.func @f({arguments}) -> ({kinds}) {{\n{body}\nreturn {results} : {kinds}\n}}\n"


def applied(expression: str) -> str:
    """The value of an expression in d and s."""
    return function(f"%r = affine.apply affine_map<(d)[s] -> ({expression})>(%x)[%n]", "%r")


def report(source: str, target: str) -> FunctionReport:
    found = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=20))
    assert found.functions, found.diagnostics
    return found.functions[0]


def there(digits: str, basis: str, disjoint: bool = True) -> str:
    return f"%i = affine.linearize_index {'disjoint ' if disjoint else ''}[{digits}] by ({basis}) : index\n"


def back(basis: str, index: str = "%i") -> str:
    return f"%d:3 = affine.delinearize_index {index} into ({basis}) : index, index, index"


DIGITS = "%d#0, %d#1, %d#2"
GIVEN = "%x, %y, %z"
THERE_AND_BACK = function(there(GIVEN, "%n, 4, %m") + back("%n, 4, %m"), DIGITS)
OF_TWO = function(there(GIVEN, "%m, %n") + back("%m, %n"), DIGITS)
BACK_AND_THERE = function(back("%n, 4, %m", "%x") + "\n" + there(DIGITS, "%n, 4, %m", False), "%i")
UNBOUNDED = function(back("4, %m", "%x") + "\n" + there(DIGITS, "%n, 4, %m", False), "%i")
UNITS = function(
    "%d:4 = affine.delinearize_index %x into (1, %n, 1, %m) : index, index, index, index", "%d#0, %d#1, %d#2, %d#3"
)
NO_UNITS = function(
    "%c = arith.constant 0 : index\n%d:2 = affine.delinearize_index %x into (%n, %m) : index, index",
    "%c, %d#0, %c, %d#1",
)

RIGHT = {
    "there and back": (THERE_AND_BACK, function("", GIVEN)),
    "there and back, unbounded": (OF_TWO, function("", GIVEN)),
    "back and there": (BACK_AND_THERE, function("", "%x")),
    "back and there, unbounded": (UNBOUNDED, function("", "%x")),
    "radices of 1": (UNITS, NO_UNITS),
    "a multiple": (applied("(s * s - s * (d floordiv s)) mod s"), applied("0")),
    "a multiple and a rest": (applied("(s * s + d) floordiv s"), applied("s + d floordiv s")),
    "rounded up": (applied("(42 * s - s * (d floordiv s)) ceildiv s"), applied("42 - d floordiv s")),
    "a rest of a rest": (applied("(d - d mod s) mod s"), applied("0")),
    "a fraction of the divisor": (applied("(2 * s) mod (3 * s)"), applied("2 * s")),
}

WRONG = {
    "digits change places": (THERE_AND_BACK, function("", "%y, %x, %z")),
    "another radix": (function(there(GIVEN, "%n, 4, %m") + back("%n, 3, %m"), DIGITS), function("", GIVEN)),
    "radices change places": (function(there(GIVEN, "%n, %m, 4") + back("%n, 4, %m"), DIGITS), function("", GIVEN)),
    "digits that may be too great": (
        function(there(GIVEN, "%n, 4, %m", False) + back("4, %m"), DIGITS),
        function("", GIVEN),
    ),
    "back and there by another radix": (
        function(back("4, %m", "%x") + "\n" + there(DIGITS, "%n, 3, %m", False), "%i"),
        function("", "%x"),
    ),
    "the source is defined where a radix is not positive": (function("", "%x"), UNBOUNDED),
    "the source is defined beyond the outer bound": (function("", "%x"), BACK_AND_THERE),
    "a radix of 2": (UNITS.replace("(1, %n, 1, %m)", "(1, %n, 2, %m)"), NO_UNITS),
    "no outer bound": (
        function("%d:3 = affine.delinearize_index %x into (%n, %m) : index, index, index", DIGITS),
        function(
            "%d:2 = affine.delinearize_index %x into (%n, %m) : index, index\n%c = arith.constant 0 : index",
            "%c, %d#0, %d#1",
        ),
    ),
    "one too many": (applied("(s * s + d) floordiv s"), applied("s + 1 + d floordiv s")),
    "the rest is not dropped": (applied("(s * s + d) mod s"), applied("0")),
    "the divisor of the target": (applied("0"), applied("(s * s) mod s")),
    "rounded down": (applied("(42 * s - d) ceildiv s"), applied("42 - d floordiv s - 1")),
    "a multiple of a part": (applied("(2 * s + d) floordiv (3 * s)"), applied("d floordiv (3 * s)")),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_pairs(name: str) -> None:
    found = report(*RIGHT[name])
    assert found.verdict in ("equivalent", "refines"), found.unknown


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_wrong_twins(name: str) -> None:
    assert report(*WRONG[name]).verdict in ("not-equivalent", "unknown")
